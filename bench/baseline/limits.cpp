// By what to judge the rates of the document benchmark: what others make of the same bytes.
//
//   limits DOCUMENT MODULE_BYTES   walks the document with simdjson, then fills as many bytes of fresh memory as the module has
//   --cpu                          seconds are the processor's
//
// simdjson is the fastest parser of JSON that is known. What it makes is a tape with nothing of a module in it, and it checks no more
// than the syntax.

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>

#include <sys/mman.h>

#include <simdjson.h>

namespace {

double now(bool processor) {
    timespec time;
    clock_gettime(processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int run(const char *path, std::size_t module_bytes, bool processor) {
    simdjson::padded_string text;
    auto error = simdjson::padded_string::load(path).get(text);
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    double start = now(processor);
    if (!error) {
        error = parser.parse(text).get(root);
    }
    double seconds = now(processor) - start;
    if (error || !root.is_object()) {
        std::cerr << "limits: " << path << ": " << error << '\n';
        return 1;
    }
    std::cout << "{\"phase\":\"parse\",\"bytes\":" << text.size() << ",\"seconds\":" << seconds << "}\n";
    start = now(processor);
    void *memory = mmap(nullptr, module_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::cerr << "limits: no " << module_bytes << " bytes of memory\n";
        return 1;
    }
    // As the library asks for its own memory.
    madvise(memory, module_bytes, MADV_HUGEPAGE);
    std::memset(memory, 1, module_bytes);
    seconds = now(processor) - start;
    // The last byte is read, so that the filling cannot be left out.
    std::size_t last = static_cast<unsigned char *>(memory)[module_bytes - 1];
    std::cout << "{\"phase\":\"fill\",\"bytes\":" << module_bytes - 1 + last << ",\"seconds\":" << seconds << "}\n";
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    bool processor = argc == 4 && std::strcmp(argv[3], "--cpu") == 0;
    std::size_t bytes = argc < 3 ? 0 : std::strtoull(argv[2], nullptr, 10);
    if (bytes == 0 || (argc != 3 && !processor)) {
        std::cerr << "usage: limits DOCUMENT MODULE_BYTES [--cpu]\n";
        return 2;
    }
    return run(argv[1], bytes, processor);
}
