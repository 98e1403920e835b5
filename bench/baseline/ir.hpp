// The objects of the baseline: what a C++ team would write for this format without a thought for the text they come from.
// `new` for every object, std::string names, std::unordered_map symbol tables, intrusive lists, a private schedule block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace baseline {

using json = nlohmann::json;

/// The link of an object in its owner's list.
template <class T> struct Link {
    T *prev = nullptr;
    T *next = nullptr;
};

/// A doubly linked list through the objects themselves.
template <class T> class List {
public:
    T *front() const { return head; }
    void push_back(T *object) {
        object->link.prev = tail;
        (tail ? tail->link.next : head) = object;
        tail = object;
    }

    class iterator {
    public:
        explicit iterator(T *object) : at(object) {}
        T &operator*() const { return *at; }
        iterator &operator++() {
            at = at->link.next;
            return *this;
        }
        bool operator!=(const iterator &other) const { return at != other.at; }

    private:
        T *at;
    };
    iterator begin() const { return iterator(head); }
    iterator end() const { return iterator(nullptr); }

private:
    T *head = nullptr;
    T *tail = nullptr;
};

struct Function;
struct Block;
struct Instruction;
struct Argument;
struct LocationSet;

struct NamedObject {
    std::string name;
    int origin = 0;
    int id = 0;
    virtual ~NamedObject() = default;
};

struct Location : NamedObject {
    Link<Location> link;
    LocationSet *set = nullptr;
    int type = 0;
    std::uint64_t addr = 0;
    std::uint32_t base = 0;
    std::int64_t bank = 0;
    std::vector<std::uint32_t> dims;
    bool allocated = false, user_allocated = false, pinned = false;
    int tensor_id = -1;
    std::vector<Argument *> readers, writers;
};

struct LocationSet : NamedObject {
    Link<LocationSet> link;
    Function *function = nullptr;
    int kind = 0, dtype = 0, tensor_class = 0, partition_dim = 0;
    std::vector<std::uint64_t> tensor_shape;
    std::string file;
    json debug;
    List<Location> locations;
    std::unordered_map<std::string, Location *> location_by_name;
};

struct Queue : NamedObject {
    Link<Queue> link;
    int type = 2, engine = 0;
    std::uint32_t engine_id = 0, num_dma_engines = 0;
};

struct APPair {
    std::int64_t step, num;
};

/// An operand; the constructor of each class says its kind.
struct Argument {
    enum class Kind { Physical, Immediate };
    Link<Argument> link;
    Instruction *instruction = nullptr;
    const Kind kind;
    int dtype = 0;
    explicit Argument(Kind kind) : kind(kind) {}
    virtual ~Argument() = default;
};

struct PhysicalAP : Argument {
    static constexpr std::size_t max_dims = 5;
    Location *location = nullptr;
    std::uint64_t offset = 0;
    std::uint32_t dims = 0;
    APPair pattern[max_dims];
    PhysicalAP() : Argument(Kind::Physical) {}
};

struct Immediate : Argument {
    double value = 0;
    bool is_float = false;
    Immediate() : Argument(Kind::Immediate) {}
};

struct Wait {
    std::uint32_t id, value;
    Instruction *from;
};

struct Update {
    std::uint32_t id, value;
};

/// What the scheduler knows of an instruction: a block of its own size, zeroed, of which documents fill a small part.
struct Schedule {
    static constexpr std::size_t size = 0xA98;
    std::int64_t start = 0, end = 0;
    bool has_sync = false;
    std::vector<Wait> waits;
    std::vector<Update> updates;
    json debug;
    unsigned char rest[size - 3 * 8 - 2 * sizeof(std::vector<Wait>) - sizeof(json)] = {};
};
static_assert(sizeof(Schedule) == Schedule::size, "the block has the size that the compiler's has");

struct Instruction : NamedObject {
    Link<Instruction> link;
    Block *block = nullptr;
    const int opcode;
    int engine = 0;
    std::uint32_t engine_id = 0;
    List<Argument> ins, outs;
    std::unordered_map<Instruction *, int> dependencies, descendents;
    Schedule *schedule = new Schedule();

    explicit Instruction(int opcode) : opcode(opcode) {}
    /// The keys of the opcode.
    virtual void read(const json &) {}
    virtual void write(json &) const {}
    /// The queue that it names, for those that have one.
    virtual Queue **queue_slot() { return nullptr; }
};

struct Block : NamedObject {
    Link<Block> link;
    Function *function = nullptr;
    List<Instruction> instructions;
    std::unordered_map<std::string, Instruction *> instruction_by_name;
};

struct Function : NamedObject {
    Link<Function> link;
    std::vector<std::string> attributes;
    List<LocationSet> sets;
    std::unordered_map<std::string, LocationSet *> set_by_name;
    List<Block> blocks;
    std::unordered_map<std::string, Block *> block_by_name;
};

struct Module {
    int arch = 0;
    json attributes;
    List<Function> functions;
    std::unordered_map<std::string, Function *> function_by_name;
    List<Queue> queues;
    std::unordered_map<std::string, Queue *> queue_by_name;
    int next_id = 0;
};

} // namespace baseline
