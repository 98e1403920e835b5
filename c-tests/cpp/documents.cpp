// Documents are byte for byte those of nlohmann::json, the JSON library of the original: its dump(2) and its to_cbor, of the
// same tree; and what it makes of foreign documents is read.
//
// usage: documents FILE...    files of BIR JSON
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

// check.hpp comes last: its macros have short names.
#include "bir.hpp"
#include "check.hpp"

using nlohmann::json;

static const bir_write_options TEXT[2] = {{sizeof *TEXT, 0, 0, BIR_DOCUMENT_FORMAT_JSON},
                                          {sizeof *TEXT, 0, 1, BIR_DOCUMENT_FORMAT_JSON}};
static const bir_write_options CBOR[2] = {{sizeof *CBOR, 0, 0, BIR_DOCUMENT_FORMAT_CBOR},
                                          {sizeof *CBOR, 0, 1, BIR_DOCUMENT_FORMAT_CBOR}};

static std::string to_cbor(const json &tree) {
    const std::vector<std::uint8_t> bytes = json::to_cbor(tree);
    return std::string(bytes.begin(), bytes.end());
}

// The module comes out in both formats as the library writes the tree. Text is not compared where it may be shorter.
static void is_written_alike(const bir_module *module, bool compare_text) {
    for (int all_keys = 0; all_keys < 2; all_keys++) {
        const std::string text = bir::save(module, &TEXT[all_keys]);
        const std::string binary = bir::save(module, &CBOR[all_keys]);
        const json tree = json::parse(text);
        CHECK(!compare_text || tree.dump(2) + "\n" == text);
        CHECK(to_cbor(tree) == binary);
        CHECK(json::from_cbor(binary) == tree);
    }
}

static void is_read(const bir_module *module, const json &tree) {
    CHECK(bir::get(bir_module_equal, module, bir::load(to_cbor(tree)).get()) == 1);
}

static json parse_file(const char *path) {
    std::ifstream file(path);
    CHECK(file.good());
    return json::parse(file);
}

// The tree with another value of one field of the first instruction that has it, if there is one.
static json *field(json &node, const char *key) {
    if (node.is_object() && node.contains("opcode") && node.contains(key))
        return &node[key];
    if (node.is_structured())
        for (json &child : node)
            if (json *found = field(child, key))
                return found;
    return nullptr;
}

// Floats of 32 bits as text has them, and as the compiler has them in memory: widened.
static void floats(json tree) {
    json *const0 = field(tree, "const0");
    CHECK(const0 != nullptr);
    std::vector<float> values = {0.0F, -0.0F, 1.0F, 0.1F, -2.5F, 1e10F, 16777216.0F, 3.4028235e38F, 1e-45F, 1.17549435e-38F};
    std::mt19937 random(1);
    for (int i = 0; i < 300; i++) {
        const auto bits = static_cast<std::uint32_t>(random());
        float value;
        std::memcpy(&value, &bits, sizeof value);
        if (std::isfinite(value))
            values.push_back(value);
    }
    for (const float value : values) {
        *const0 = static_cast<double>(value);
        const bir::module module = bir::load(to_cbor(tree));
        is_written_alike(module.get(), false);
        // Whatever digits were written, the same float is read.
        json again = json::parse(bir::save(module.get()));
        const auto read = static_cast<float>(field(again, "const0")->get<double>());
        CHECK(std::memcmp(&read, &value, sizeof value) == 0);
    }
    // A tree can hold these, and CBOR can say them; text cannot.
    const double infinite = std::numeric_limits<double>::infinity();
    for (const auto &[value, word] : {std::pair(infinite, "inf"), {-infinite, "-inf"}, {std::nan(""), "nan"}}) {
        *const0 = value;
        const bir::module module = bir::load(to_cbor(tree));
        *const0 = word;
        is_read(module.get(), tree);
        json again = json::parse(bir::save(module.get()));
        CHECK(*field(again, "const0") == word);
        is_written_alike(module.get(), true);
    }
}

int main(int argc, char **argv) {
    CHECK(argc > 1);
    bool had_floats = false;
    for (int i = 1; i < argc; i++) {
        const json tree = parse_file(argv[i]);
        const bir::module module = bir::load_file(argv[i]);
        is_written_alike(module.get(), true);
        is_read(module.get(), tree);
        json copy = tree;
        if (!had_floats && field(copy, "const0") != nullptr) {
            floats(tree);
            had_floats = true;
        }
    }
    CHECK(had_floats);
    return 0;
}
