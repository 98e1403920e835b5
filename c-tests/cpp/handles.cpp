// bir.hpp: documents, packages and other things that free themselves.
#include "bir.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace std::string_literals;
using namespace std::string_view_literals;

#define CHECK(...)                                                                                                     \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                     \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (false)

// A folder that goes with all that it holds.
struct folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("bir-cpp-tests-" + std::to_string(getpid()));
    folder() { CHECK(std::filesystem::create_directory(path)); }
    ~folder() { std::filesystem::remove_all(path); }
    std::string file(const char *name) const { return (path / name).string(); }
};

// A function with one output.
static bir::module sample() {
    bir::module m = bir::make_module();
    bir_function *f = bir::call(bir_module_add_function, m.get(), "main"sv, nullptr, nullptr);
    bir_set *set = bir::call(bir_function_add_set, f, "dst_set"sv, BIR_TENSOR_KIND_EXTERNALOUTPUT, BIR_DTYPE_FLOAT32,
                             nullptr, nullptr);
    bir::call(bir_set_add_location, set, "dst"sv, BIR_MEMORY_TYPE_DRAM, nullptr, nullptr);
    bir::call(bir_function_add_block, f, "Block1"sv, nullptr, nullptr);
    return m;
}

static void documents(const folder &in) {
    const bir::module m = sample();
    const std::string text = bir::save(m.get());
    CHECK(text.front() == '{' && text.find("dst_set") != text.npos);
    const bir_write_options compact{sizeof compact, 1, 0, BIR_DOCUMENT_FORMAT_JSON};
    CHECK(bir::save(m.get(), &compact).size() < text.size());
    const bir_print_options bare{sizeof bare, 0, 1};
    CHECK(bir::print(m.get()).find("\n  set dst_set (id 1): float32[] ExternalOutput\n") != text.npos);
    CHECK(bir::print(m.get(), &bare).find("\n  set dst_set: float32[] ExternalOutput\n") != text.npos);
    const bir_write_options cbor{sizeof cbor, 0, 0, BIR_DOCUMENT_FORMAT_CBOR};
    const std::string binary = bir::save(m.get(), &cbor);
    CHECK(binary.size() < text.size() / 2 && (binary.front() & 0xE0) == 0xA0);
    CHECK(bir::get(bir_module_equal, m.get(), bir::load(binary).get()) == 1);
    bir::save_file(m.get(), in.file("a.cbor"), &cbor);
    CHECK(bir::get(bir_module_equal, m.get(), bir::load_file(in.file("a.cbor")).get()) == 1);
    try {
        bir::load(std::string_view(binary).substr(0, 20));
        CHECK(!"an error is thrown");
    } catch (const bir::error &e) {
        CHECK(e.status == BIR_STATUS_SYNTAX && e.line == 0 && e.column == 0 && e.offset == 20);
    }
    bir::save_file(m.get(), in.file("a.json"));
    const bir::module again = bir::load_file(in.file("a.json"));
    CHECK(bir::get(bir_module_equal, m.get(), again.get()) == 1);
    bir::load_report report;
    const bir::module third = bir::load("{\"x\": 1, "s + text.substr(1), nullptr, &report);
    CHECK(bir::get(bir_load_report_warning_count, report.get()) == 1);
    CHECK(bir::get(bir_load_report_warning, report.get(), std::size_t{0}).kind == BIR_WARNING_KIND_UNKNOWN_KEY);
    try {
        bir::load("{\"version\": 2,\n \"arch\": 7}", nullptr, &report);
        CHECK(!"an error is thrown");
    } catch (const bir::error &e) {
        CHECK(e.status == BIR_STATUS_WRONG_TYPE && e.line == 2 && e.column == 10 && e.offset == 24 && e.path == "arch");
        CHECK(report != nullptr && e.what()[0] != '\0');
    }
    bir_function *f = bir::call(bir_module_first_function, third.get());
    bir::call(bir_set_set_do_not_spill, bir::call(bir_function_find_set, f, "dst_set"sv), 1);
    const bir::difference found(bir::get(bir_module_difference, m.get(), third.get()));
    const bir_difference_text d = bir::get(bir_difference_get, found.get());
    CHECK(std::string_view(d.left.data, d.left.len) == "false" && std::string_view(d.right.data, d.right.len) == "true");
    CHECK(bir::difference(bir::get(bir_module_difference, m.get(), again.get())) == nullptr);
}

static void packages(const folder &in) {
    const bir::module m = sample();
    bir::pack_report report;
    const bir::buffer packed = bir::pack(m.get(), nullptr, &report);
    CHECK(bir::get(bir_pack_report_output, report.get(), std::size_t{0}) == "dst"sv);
    const std::string bytes(bir::view(bir::get(bir_buffer_bytes, packed.get())));
    std::ofstream(in.file("a.neff"), std::ios::binary) << bytes;
    for (int round = 0; round < 2; round++) {
        const bir::package p = round == 0 ? bir::open_package(bytes) : bir::open_package_file(in.file("a.neff"));
        const std::size_t index = bir::get(bir_package_find_member, p.get(), "sg00/bir.json"sv);
        const bir::module inside = bir::load(bir::view(bir::get(bir_package_contents, p.get(), index)));
        CHECK(bir::get(bir_module_equal, m.get(), inside.get()) == 1);
        const bir::findings findings(bir::call(bir_package_check, p.get()));
        CHECK(bir::get(bir_findings_count, findings.get()) == 0);
    }
    try {
        bir::open_package(std::string_view(bytes).substr(0, 1500));
        CHECK(!"an error is thrown");
    } catch (const bir::error &e) {
        CHECK(e.status == BIR_STATUS_BAD_HEADER);
    }
}

static void pieces(const folder &in) {
    const std::string text(100000, 'x');
    const bir_package_tensor output{{"o", 1}, BIR_DTYPE_UINT8, nullptr, 0, 1};
    {
        const bir::package_writer w = bir::make_package_writer("pieces", "cayman");
        bir::call(bir_package_writer_add_output, w.get(), 0u, &output);
        bir::call(bir_package_writer_add_member, w.get(), "a"sv, text.data(), text.size());
        bir::call(bir_package_writer_write_file, w.get(), in.file("pieces.neff"), nullptr);
    }
    const bir::package_reader r = bir::read_package_file(in.file("pieces.neff"));
    std::string found;
    int members = 0;
    bir::each_member(r.get(), [&](const bir_member &m, auto read) {
        members++;
        if (std::string_view(m.name.data, m.name.len) != "a"sv)
            return;
        char buffer[777];
        for (std::size_t count = sizeof buffer; count == sizeof buffer; found.append(buffer, count))
            count = read(buffer, sizeof buffer);
    });
    CHECK(found == text && members > 10);
    const std::string path = in.file("pieces.neff");
    const bir_string paths[1] = {{path.data(), path.size()}};
    const bir::dedup_report report(bir::call(bir_dedup_files, paths, std::size_t{1}, nullptr));
    CHECK(bir::get(bir_dedup_report_unique_files, report.get()) == 1);
    const bir::module m = sample();
    bir_constants_report *raw = nullptr;
    bir_digest digest;
    bir::call(bir_module_constants_digest, m.get(), nullptr, &digest, &raw);
    const bir::constants_report constants(raw);
    CHECK(bir::get(bir_constants_report_count, constants.get()) == 0 && digest.bytes[0] == 0xd4);
    try {
        bir::read_package_file(in.file("nothing.neff"));
        CHECK(!"an error is thrown");
    } catch (const bir::error &e) {
        CHECK(e.status == BIR_STATUS_IO);
    }
}

static void texts() {
    const bir::dedup d(bir::call(bir_dedup_create, 1));
    for (const char *name : {"a", "b"}) {
        bir_string stored{};
        bir::call(bir_dedup_add, d.get(), std::string_view(name), "x", std::size_t{1}, BIR_DTYPE_UINT8,
                  BIR_MEMORY_TYPE_DRAM, &stored, nullptr);
        CHECK(std::string_view(stored.data, stored.len) == "a");
    }
    CHECK(bir::text(bir_dedup_diagnostic, d.get(), std::size_t{1}) == "found match for b: a");
    CHECK(bir::text(bir_dedup_message, d.get()).empty());
}

int main() {
    const folder in;
    documents(in);
    packages(in);
    pieces(in);
    texts();
    return 0;
}
