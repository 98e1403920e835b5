// The baseline of the document benchmark: nlohmann::json parses the text into a tree, two passes build objects from it.
//
//   document DOCUMENT           reads it; then prints the tree that was parsed
//   document DOCUMENT --write   reads it; then makes a tree from the objects, prints it and compares with the document
//   --compact                   prints one line without spaces instead of the standard form
//   --cpu                       seconds are the processor's
//
// Each phase is reported as a line of JSON. Memory is what the system saw at most (VmHWM) since before the document came.
// The document is mapped, not streamed: nlohmann::json is faster on memory than on a stream.

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read.hpp"
#include "write.hpp"

namespace {

using namespace baseline;

struct Mapped {
    const char *begin;
    const char *end;
};

Mapped map_file(const char *path) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) {
        throw std::runtime_error(std::string(path) + ": cannot be read");
    }
    std::size_t size = static_cast<std::size_t>(status.st_size);
    void *memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (memory == MAP_FAILED) {
        throw std::runtime_error(std::string(path) + ": cannot be mapped");
    }
    const char *begin = static_cast<const char *>(memory);
    return {begin, begin + size};
}

/// The most memory that the process ever had, in bytes.
std::size_t peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmHWM:", 0) == 0) {
            return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
        }
    }
    throw std::runtime_error("/proc/self/status has no VmHWM");
}

class Clock {
public:
    explicit Clock(bool processor) : processor(processor), last(now()) {}
    /// Seconds since the last lap.
    double lap() {
        double seconds = now() - last;
        last += seconds;
        return seconds;
    }

private:
    double now() const {
        timespec time;
        clock_gettime(processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    }
    bool processor;
    double last;
};

struct Options {
    const char *path = nullptr;
    bool writes = false;
    int indent = 2;
    bool processor_time = false;
};

void report(const json &line) { std::cout << line.dump() << std::endl; }

void run(const Options &options) {
    std::size_t before = peak_memory();
    Clock clock(options.processor_time);
    Mapped text = map_file(options.path);
    json root = json::parse(text.begin, text.end);
    double parse = clock.lap();
    Module *module = Reader::read(root);
    double build = clock.lap();
    report({{"phase", "load"},
            {"bytes", text.end - text.begin},
            {"parse_seconds", parse},
            {"build_seconds", build},
            {"seconds", parse + build},
            {"peak", peak_memory() - before}});
    if (!options.writes) {
        clock.lap();
        std::string dumped = root.dump(options.indent);
        report({{"phase", "dump"}, {"bytes", dumped.size()}, {"seconds", clock.lap()}});
        return std::_Exit(0);
    }
    root = nullptr;
    clock.lap();
    json tree = Writer::write(*module);
    double tree_seconds = clock.lap();
    std::string dumped = tree.dump(options.indent);
    double dump_seconds = clock.lap();
    // Only the standard form ends its last line.
    if (options.indent >= 0) {
        dumped += '\n';
    }
    std::size_t size = static_cast<std::size_t>(text.end - text.begin);
    bool same = dumped.size() == size && std::memcmp(dumped.data(), text.begin, size) == 0;
    report({{"phase", "write"},
            {"bytes", dumped.size()},
            {"seconds", tree_seconds + dump_seconds},
            {"tree_seconds", tree_seconds},
            {"dump_seconds", dump_seconds},
            {"same", same}});
    if (!same) {
        std::size_t at = 0;
        while (at < size && at < dumped.size() && dumped[at] == text.begin[at]) {
            ++at;
        }
        std::size_t from = at < 300 ? 0 : at - 300;
        std::cerr << "document: the text differs at byte " << at << ":\n" << dumped.substr(from, 400) << '\n';
    }
    // Destroying millions of objects one by one is nobody's phase.
    std::_Exit(0);
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--write") == 0) {
            options.writes = true;
        } else if (std::strcmp(argv[i], "--compact") == 0) {
            options.indent = -1;
        } else if (std::strcmp(argv[i], "--cpu") == 0) {
            options.processor_time = true;
        } else {
            options.path = argv[i];
        }
    }
    if (!options.path) {
        std::cerr << "usage: document DOCUMENT [--write] [--compact] [--cpu]\n";
        return 2;
    }
    try {
        run(options);
    } catch (const std::exception &error) {
        std::cerr << "document: " << error.what() << '\n';
        return 1;
    }
}
