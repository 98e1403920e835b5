// The intrusive lists are LLVM's: the real llvm::simple_ilist walks them, forwards and backwards, at every level, after
// inserts, erases and moves. Built only where LLVM's headers are.
//
// usage: ilist [size]    size: of the largest list, 100000 if not given
#include "check.hpp"

#include <llvm/ADT/simple_ilist.h>

#include <algorithm>
#include <vector>

namespace {

// An element as the list sees it: LLVM's node, then what the library has behind it.
struct Node : llvm::ilist_node<Node, llvm::ilist_sentinel_tracking<false>> {
    layout::NamedObjectBase named_object_base;
    std::int32_t unique_id;
    unsigned char reserved[4];
    void *owner;
};
static_assert(sizeof(Node) == sizeof(layout::NamedObject), "LLVM's node has the size of ours");

using List = llvm::simple_ilist<Node, llvm::ilist_sentinel_tracking<false>>;
static_assert(sizeof(List) == sizeof(layout::IlistNode), "a list is its sentinel");

void expect(const layout::IlistNode &sentinel, const std::vector<std::string> &names) {
    auto &list = *as<List>(&sentinel);
    CHECK(list.empty() == names.empty() && list.size() == names.size());
    auto name = names.begin();
    for (const Node &node : list)
        CHECK(name != names.end() && node.named_object_base.name == *name++);
    CHECK(name == names.end());
    auto backward = names.rbegin();
    for (auto at = list.rbegin(); at != list.rend(); ++at)
        CHECK(at->named_object_base.name == *backward++);
    CHECK(backward == names.rend());
    if (!names.empty())
        CHECK(list.front().named_object_base.name == names.front() && list.back().named_object_base.name == names.back());
    CHECK(std::none_of(list.begin(), list.end(), [](const Node &node) { return node.owner == nullptr; }));
}

template <class Object, class Add, class Erase, class Move>
void level(const layout::IlistNode &sentinel, std::size_t size, Add add, Erase erase, Move move) {
    std::vector<Object *> objects;
    std::vector<std::string> names;
    expect(sentinel, names);
    for (std::size_t i = 0; i < size; i++) {
        // Every second one goes to the front while that is cheap for the model.
        bool front = size <= 1000 && i % 2 == 1;
        std::string name = name_of(i);
        Object *object = NEW(add(name, front ? objects.front() : nullptr));
        objects.insert(front ? objects.begin() : objects.end(), object);
        names.insert(front ? names.begin() : names.end(), name);
    }
    expect(sentinel, names);
    for (std::size_t i = 1; i < size && i < 50; i += 4) {
        OK(move(objects[i], objects.front()));
        std::rotate(objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(i), objects.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        std::rotate(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    expect(sentinel, names);
    std::vector<Object *> left;
    std::vector<std::string> left_names;
    for (std::size_t i = 0; i < size; i++) {
        if (i % 3 == 0) {
            OK(erase(objects[i]));
        } else {
            left.push_back(objects[i]);
            left_names.push_back(names[i]);
        }
    }
    expect(sentinel, left_names);
    for (Object *object : left)
        OK(erase(object));
    expect(sentinel, {});
}

void levels(std::size_t size) {
    bir_module *m = NEW(bir_module_create(&err));
    auto *module = as<layout::Module>(m);
    using Name = const std::string &;
    auto *holder = NEW(bir_module_function_holder(m, &err));
    level<bir_function>(
        module->function_holder.named_object_container.sentinel, size,
        [&](Name n, bir_function *at) { return bir_module_add_function(m, n.data(), n.size(), at, nullptr, &err); },
        [](bir_function *o) { return bir_function_erase(o, &err); },
        [&](bir_function *o, bir_function *at) { return bir_function_move(o, holder, at, nullptr, &err); });
    level<bir_queue>(
        module->dma_queues.sentinel, size,
        [&](Name n, bir_queue *at) { return bir_module_add_queue(m, n.data(), n.size(), 0, at, nullptr, &err); },
        [](bir_queue *o) { return bir_queue_erase(o, &err); },
        [](bir_queue *o, bir_queue *at) { return bir_queue_move(o, at, nullptr, &err); });
    bir_function *f = NEW(bir_module_add_function(m, T("main"), nullptr, nullptr, &err));
    auto *blocks = NEW(bir_function_block_holder(f, &err));
    level<bir_block>(
        as<layout::Function>(f)->basic_block_holder.blocks.sentinel, size,
        [&](Name n, bir_block *at) { return bir_function_add_block(f, n.data(), n.size(), at, nullptr, &err); },
        [](bir_block *o) { return bir_block_erase(o, &err); },
        [&](bir_block *o, bir_block *at) { return bir_block_move(o, blocks, at, nullptr, &err); });
    level<bir_register>(
        as<layout::Function>(f)->storages.sentinel, size,
        [&](Name n, bir_register *at) {
            return bir_function_add_register(f, n.data(), n.size(), reinterpret_cast<bir_storage *>(at), nullptr, &err);
        },
        [](bir_register *o) { return bir_register_erase(o, &err); },
        [&](bir_register *o, bir_register *at) {
            return bir_register_move(o, f, reinterpret_cast<bir_storage *>(at), nullptr, &err);
        });
    bir_block *b = NEW(bir_function_add_block(f, T("block"), nullptr, nullptr, &err));
    level<bir_inst>(
        as<layout::BasicBlock>(b)->named_object_container.sentinel, size,
        [&](Name n, bir_inst *at) { return bir_block_add_inst(b, 12, n.data(), n.size(), at, nullptr, &err); },
        [](bir_inst *o) { return bir_inst_erase(o, &err); },
        [&](bir_inst *o, bir_inst *at) { return bir_inst_move(o, b, at, nullptr, &err); });
    bir_set *s = NEW(bir_function_add_set(f, T("set"), 0, 0, nullptr, nullptr, &err));
    level<bir_location>(
        as<layout::MemoryLocationSet>(s)->locations.sentinel, size,
        [&](Name n, bir_location *at) { return bir_set_add_location(s, n.data(), n.size(), 8, at, nullptr, &err); },
        [](bir_location *o) { return bir_location_erase(o, &err); },
        [&](bir_location *o, bir_location *at) { return bir_location_move(o, s, at, nullptr, &err); });
    bir_module_destroy(m);
}

// Operands have the node behind their vptr.
struct Operand : llvm::ilist_node<Operand, llvm::ilist_sentinel_tracking<false>> {
    std::int32_t kind;
};

void operands() {
    bir_module *m = NEW(bir_module_create(&err));
    bir_function *f = NEW(bir_module_add_function(m, T("main"), nullptr, nullptr, &err));
    bir_block *b = NEW(bir_function_add_block(f, T("block"), nullptr, nullptr, &err));
    bir_inst *inst = NEW(bir_block_add_inst(b, 12, T("inst"), nullptr, nullptr, &err));
    for (int i = 0; i < 30; i++)
        NEW(bir_inst_add_immediate(inst, BIR_DTYPE_INT32, 1, nullptr, &err));
    auto &list = *as<llvm::simple_ilist<Operand, llvm::ilist_sentinel_tracking<false>>>(&as<layout::Instruction>(inst)->ins);
    CHECK(list.size() == 30);
    bir_operand *handle = NEW(bir_inst_first_operand(inst, 0, &err));
    for (const Operand &operand : list) {
        CHECK(&operand == as<Operand>(&as<layout::Argument>(handle)->node) && operand.kind == BIR_ARGUMENT_KIND_IMMEDIATEVALUE);
        handle = bir_operand_next(handle, &err);
    }
    CHECK(handle == nullptr);
    bir_module_destroy(m);
}

} // namespace

int main(int argc, char **argv) {
    std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{13}, std::size_t{20}, std::size_t{21}, std::size_t{1000}, largest}) {
        if (size <= largest)
            levels(size);
    }
    operands();
    return 0;
}
