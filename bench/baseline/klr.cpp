// The baseline of the kernel benchmark: a tree of everything in a KLR file, made from the events of libcbor.
//
//   klr FILE           counts the items, then makes the tree, each as a line of JSON
//   klr FILE --times N
//   --cpu              seconds are the processor's
//
// A KLR file is not well-formed CBOR: the array headers of TensorName, Slice and AccessBasic count fields of which no bytes
// follow (spec/klr.md section 2). So libcbor's own trees cannot be used, nor any other general reader; the tree here is
// built from libcbor's streaming decoder, which gives one item after another, and the counts of these three records are
// mended. The tree is all: a lowering would only begin with it.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <cbor.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

struct Mapped {
    const unsigned char *begin;
    std::size_t size;
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
    return {static_cast<const unsigned char *>(memory), size};
}

/// A record or list: a tag (0 for a list) and what is in it.
struct Node;
using List = std::vector<Node>;
struct Node {
    std::uint64_t tag = 0;
    std::variant<std::uint64_t, std::int64_t, double, bool, std::string, List> value;
};

/// Fields that the header of a record counts and of which there are no bytes.
std::size_t proof_fields(std::uint64_t tag) {
    switch (tag >> 8) {
    case 114: // TensorName
        return 2;
    case 115: // Slice
    case 118: // AccessBasic
        return 1;
    default:
        return 0;
    }
}

/// Puts items where they belong as they come.
class Builder {
public:
    explicit Builder(List &roots) { open.push_back({&roots, SIZE_MAX}); }

    void tag(std::uint64_t value) { pending = value; }

    template <typename T> void leaf(T value) {
        place(Node{take_tag(), std::move(value)});
        close_full();
    }

    void array(std::size_t count) {
        std::uint64_t tag = take_tag();
        count -= std::min(count, proof_fields(tag));
        Node &node = place(Node{tag, List()});
        List &list = std::get<List>(node.value);
        list.reserve(count);
        open.push_back({&list, count});
        close_full();
    }

    bool complete() const { return open.size() == 1 && pending == 0; }

private:
    struct Open {
        List *list;
        std::size_t left;
    };

    std::uint64_t take_tag() {
        std::uint64_t tag = pending;
        pending = 0;
        return tag;
    }

    // A list reserves its room, so nodes stay where they are until it is full.
    Node &place(Node node) {
        Open &top = open.back();
        top.list->push_back(std::move(node));
        --top.left;
        return top.list->back();
    }

    void close_full() {
        while (open.back().left == 0) {
            open.pop_back();
        }
    }

    std::vector<Open> open;
    std::uint64_t pending = 0;
};

template <typename T> void leaf(void *context, T value) { static_cast<Builder *>(context)->leaf(std::move(value)); }

[[noreturn]] void unexpected() { throw std::runtime_error("an item that no KLR file has"); }

cbor_callbacks tree_callbacks() {
    cbor_callbacks calls = cbor_empty_callbacks;
    calls.uint8 = [](void *c, std::uint8_t v) { leaf(c, std::uint64_t{v}); };
    calls.uint16 = [](void *c, std::uint16_t v) { leaf(c, std::uint64_t{v}); };
    calls.uint32 = [](void *c, std::uint32_t v) { leaf(c, std::uint64_t{v}); };
    calls.uint64 = [](void *c, std::uint64_t v) { leaf(c, v); };
    calls.negint8 = [](void *c, std::uint8_t v) { leaf(c, -1 - std::int64_t{v}); };
    calls.negint16 = [](void *c, std::uint16_t v) { leaf(c, -1 - std::int64_t{v}); };
    calls.negint32 = [](void *c, std::uint32_t v) { leaf(c, -1 - std::int64_t{v}); };
    calls.negint64 = [](void *c, std::uint64_t v) { leaf(c, -1 - static_cast<std::int64_t>(v)); };
    calls.float4 = [](void *c, float v) { leaf(c, double{v}); };
    calls.float8 = [](void *c, double v) { leaf(c, v); };
    calls.boolean = [](void *c, bool v) { leaf(c, v); };
    calls.string = [](void *c, cbor_data text, std::size_t size) {
        leaf(c, std::string(reinterpret_cast<const char *>(text), size));
    };
    calls.array_start = [](void *c, std::size_t count) { static_cast<Builder *>(c)->array(count); };
    calls.tag = [](void *c, std::uint64_t value) { static_cast<Builder *>(c)->tag(value); };
    calls.byte_string = [](void *, cbor_data, std::size_t) { unexpected(); };
    calls.map_start = [](void *, std::size_t) { unexpected(); };
    calls.indef_array_start = [](void *) { unexpected(); };
    return calls;
}

/// Gives all items of the file to the callbacks; returns how many.
std::size_t decode(const Mapped &file, const cbor_callbacks &calls, void *context) {
    std::size_t items = 0;
    for (std::size_t at = 0; at < file.size; ++items) {
        cbor_decoder_result result = cbor_stream_decode(file.begin + at, file.size - at, &calls, context);
        if (result.status != CBOR_DECODER_FINISHED) {
            throw std::runtime_error("no item at byte " + std::to_string(at));
        }
        at += result.read;
    }
    return items;
}

/// The most memory that the process ever had, in bytes.
std::size_t peak_memory() {
    std::size_t kilobytes = 0;
    if (std::FILE *status = std::fopen("/proc/self/status", "r")) {
        char line[256];
        while (std::fgets(line, sizeof line, status)) {
            if (std::sscanf(line, "VmHWM: %zu kB", &kilobytes) == 1) {
                break;
            }
        }
        std::fclose(status);
    }
    return kilobytes * 1024;
}

/// Seconds since some moment in the past, of the processor or of the clock on the wall.
double now(bool processor_time) {
    timespec time;
    clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void run(const char *path, int times, bool processor_time) {
    Mapped file = map_file(path);
    for (int i = 0; i < times; ++i) {
        double start = now(processor_time);
        std::size_t items = decode(file, cbor_empty_callbacks, nullptr);
        double walk = now(processor_time) - start;
        std::size_t before = peak_memory();
        start = now(processor_time);
        // In a place of its own that is never freed: destroying millions of nodes is nobody's phase.
        List &roots = *new List();
        roots.reserve(3);
        Builder builder(roots);
        decode(file, tree_callbacks(), &builder);
        double tree = now(processor_time) - start;
        if (!builder.complete() || roots.size() != 3) {
            throw std::runtime_error("the items do not make a file: the counts of a record are wrong");
        }
        std::cout << "{\"phase\": \"tree\", \"bytes\": " << file.size << ", \"items\": " << items
                  << ", \"walk_seconds\": " << walk << ", \"seconds\": " << tree
                  << ", \"peak\": " << peak_memory() - before << "}" << std::endl;
    }
    std::_Exit(0);
}

} // namespace

int main(int argc, char **argv) {
    const char *path = nullptr;
    int times = 1;
    bool processor_time = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--times") == 0 && i + 1 < argc) {
            times = std::atoi(argv[++i]);
        } else if (std::strcmp(argv[i], "--cpu") == 0) {
            processor_time = true;
        } else {
            path = argv[i];
        }
    }
    if (!path) {
        std::cerr << "usage: klr FILE [--times N] [--cpu]\n";
        return 2;
    }
    try {
        run(path, times, processor_time);
    } catch (const std::exception &error) {
        std::cerr << "klr: " << error.what() << '\n';
        return 1;
    }
}
