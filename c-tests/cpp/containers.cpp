// The symbol tables are real std::unordered_maps, the names real std::strings, and the lists have the order of the program:
// at every level, at sizes around each change of the table, after inserts, erases and renames.
//
// A map of the program's own goes through the same inserts and erases; both must then agree in everything that can be seen,
// bucket counts and the order of iteration included.
//
// usage: containers [size]    size: of the largest container, a block of instructions; 100000 if not given
#include "check.hpp"

#include <functional>
#include <utility>
#include <vector>

template <class Object> class Level {
  public:
    using Map = std::unordered_map<std::string, Object *>;

    const char *what;
    layout::NamedObjectContainer<Object> *container;
    // Where the object has its NamedObject.
    std::size_t named;
    void *owner;
    std::function<void *(const std::string &)> add;
    std::function<bir_status(void *)> erase;
    std::function<bir_status(void *, const std::string &)> rename;
    std::function<bir_status(const void *, std::int32_t *)> id;

    void run(std::size_t size) {
        if (container->symtab.bucket_count() > 1) {
            // Something was in it before: tables do not shrink.
            real.emplace("first", nullptr);
            real.clear();
        }
        check();
        for (std::size_t i = 0; i < size; i++) {
            std::string name = name_of(i);
            auto *object = static_cast<Object *>(add(name));
            CHECK(object != nullptr);
            CHECK(real.emplace(name, object).second);
            model.emplace_back(name, object);
            if (i < 64)
                check();
        }
        check();
        // A rename puts the new name in before it takes the old one out, so that a failure leaves the old one.
        for (std::size_t i = 0; i < size; i += 2) {
            std::string name = "renamed_" + name_of(i);
            OK(rename(model[i].second, name));
            real.emplace(name, model[i].second);
            real.erase(model[i].first);
            model[i].first = name;
            if (i < 64)
                check();
        }
        check();
        std::vector<std::pair<std::string, Object *>> left;
        for (std::size_t i = 0; i < size; i++) {
            if (i % 3 == 0) {
                OK(erase(model[i].second));
                CHECK(real.erase(model[i].first) == 1);
                gone.push_back(model[i].first);
            } else {
                left.push_back(model[i]);
            }
        }
        model = left;
        check();
        // What was erased may come again.
        for (std::size_t i = 0; i < gone.size() && i < 100; i++) {
            auto *object = static_cast<Object *>(add(gone[i]));
            real.emplace(gone[i], object);
            model.emplace_back(gone[i], object);
        }
        gone.clear();
        check();
        for (auto &entry : model)
            OK(erase(entry.second));
        real.clear();
        model.clear();
        CHECK(container->symtab.empty() && container->symtab.begin() == container->symtab.end());
        CHECK(container->symtab.find("n0") == container->symtab.end());
        CHECK(container->sentinel.next == &container->sentinel && container->sentinel.prev == &container->sentinel);
    }

  private:
    Map real;
    std::vector<std::pair<std::string, Object *>> model;
    std::vector<std::string> gone;

    const layout::NamedObject *named_of(const Object *object) const {
        return as<const layout::NamedObject>(reinterpret_cast<const char *>(object) + named);
    }

    void check_string(const std::string &text, const std::string &expected) const {
        CHECK(text == expected && text.compare(expected) == 0 && text.size() == expected.size());
        CHECK(text.c_str()[text.size()] == '\0' && text.capacity() >= text.size());
        const char *inside = reinterpret_cast<const char *>(&text) + offsetof(layout::StdString, sso);
        CHECK((text.data() == inside) == (text.size() <= 15));
        CHECK(std::string(text) == expected);
    }

    void check_map() const {
        const Map &map = container->symtab;
        CHECK(map.size() == model.size() && map.empty() == model.empty());
        CHECK(map.max_load_factor() == 1.0F && map.load_factor() <= 1.0F);
        for (const auto &entry : model) {
            auto at = map.find(entry.first);
            CHECK(at != map.end() && at->second == entry.second);
            check_string(at->first, entry.first);
            CHECK(map.count(entry.first) == 1 && map.at(entry.first) == entry.second);
            CHECK(map.find(entry.first + "?") == map.end());
            auto range = map.equal_range(entry.first);
            CHECK(range.first == at && std::next(range.first) == range.second);
        }
        for (const std::string &name : gone)
            CHECK(map.find(name) == map.end() && map.count(name) == 0);
        CHECK(map.find("") == map.end() && map.find("no such name, and a long one") == map.end());

        if (map.bucket_count() != real.bucket_count())
            std::fprintf(stderr, "%s: %zu elements, %zu buckets, expected %zu\n", what, map.size(), map.bucket_count(), real.bucket_count());
        CHECK(map.bucket_count() == real.bucket_count());
        auto expected = real.begin();
        for (const auto &entry : map) {
            CHECK(expected != real.end() && entry == *expected);
            ++expected;
            // The node around the pair has its hash.
            auto *node = as<const layout::HashNode>(reinterpret_cast<const char *>(&entry) - offsetof(layout::HashNode, key));
            CHECK(node->cached_hash == std::hash<std::string>{}(entry.first) && node->value == entry.second);
        }
        CHECK(expected == real.end());
        CHECK(map == real && Map(map).size() == map.size());

        std::size_t total = 0;
        for (std::size_t n = 0; n < map.bucket_count(); n++) {
            CHECK(map.bucket_size(n) == real.bucket_size(n));
            for (auto at = map.begin(n); at != map.end(n); ++at) {
                CHECK(map.bucket(at->first) == n);
                total++;
            }
        }
        CHECK(total == map.size());
    }

    void check_list() const {
        const layout::IlistNode *sentinel = &container->sentinel;
        const layout::IlistNode *node = sentinel->next;
        const layout::IlistNode *before = sentinel;
        for (const auto &entry : model) {
            CHECK(node != sentinel && node->prev == before);
            auto *object = as<const layout::NamedObject>(node);
            CHECK(object == named_of(entry.second));
            check_string(object->named_object_base.name, entry.first);
            CHECK(object->owner == owner);
            std::int32_t number = -1;
            OK(id(entry.second, &number));
            CHECK(number >= 0 && number == object->unique_id);
            before = node;
            node = node->next;
        }
        CHECK(node == sentinel && sentinel->prev == before);
        for (auto entry = model.rbegin(); entry != model.rend(); ++entry) {
            node = node->prev;
            CHECK(as<const layout::NamedObject>(node) == named_of(entry->second));
        }
        CHECK(node->prev == sentinel || model.empty());
    }

    void check() const {
        check_map();
        check_list();
    }
};

struct Program {
    bir_module *module = NEW(bir_module_create(&err));
    bir_function *function = NEW(bir_module_add_function(module, T("main"), nullptr, nullptr, &err));
    bir_block *block = NEW(bir_function_add_block(function, T("block"), nullptr, nullptr, &err));
    bir_inst *loop = NEW(bir_block_add_inst(block, BIR_INSTRUCTION_TYPE_LOOP, T("loop"), nullptr, nullptr, &err));
    bir_set *set = NEW(bir_function_add_set(function, T("set"), BIR_TENSOR_KIND_INTERNAL, BIR_DTYPE_INT8, nullptr, nullptr, &err));
    bir_queue *queue = NEW(bir_module_add_queue(module, T("queue"), BIR_DMA_QUEUE_TYPE_DATA, nullptr, nullptr, &err));

    Program() = default;
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() { bir_module_destroy(module); }
};

// The calls that are the same for every type of object.
#define CALLS(type)                                                                                                    \
    [](void *o) { return bir_##type##_erase(static_cast<bir_##type *>(o), &err); },                                    \
        [](void *o, const std::string &name) {                                                                         \
            return bir_##type##_rename(static_cast<bir_##type *>(o), name.data(), name.size(), nullptr, &err);         \
        },                                                                                                             \
        [](const void *o, std::int32_t *out) { return bir_##type##_id(static_cast<const bir_##type *>(o), out, &err); }

template <class Object, class Add, class Erase, class Rename, class Id>
void level(const char *what, std::size_t size, layout::NamedObjectContainer<Object> &container, std::size_t named, void *owner,
           Add add, Erase erase, Rename rename, Id id) {
    Level<Object> l{};
    l.what = what;
    l.container = &container;
    l.named = named;
    l.owner = owner;
    l.add = add;
    l.erase = erase;
    l.rename = rename;
    l.id = id;
    l.run(size);
}

static void functions(std::size_t size, bool nki) {
    Program p;
    auto *handle = nki ? NEW(bir_module_nki_holder(p.module, &err)) : NEW(bir_module_function_holder(p.module, &err));
    auto *holder = as<layout::FunctionHolder>(handle);
    auto *module = as<layout::Module>(p.module);
    CHECK(holder->module == module && holder == (nki ? module->nki_functions : &module->function_holder));
    if (!nki)
        OK(bir_function_erase(p.function, &err));
    level(nki ? "NKI functions" : "functions", size, holder->named_object_container, offsetof(layout::Function, named), holder,
          [&](const std::string &n) { return NEW(bir_function_holder_add_function(handle, n.data(), n.size(), nullptr, nullptr, &err)); },
          CALLS(function));
}

static void queues(std::size_t size) {
    Program p;
    OK(bir_queue_erase(p.queue, &err));
    auto *module = as<layout::Module>(p.module);
    level("queues", size, module->dma_queues, offsetof(layout::DMAQueue, named), module,
          [&](const std::string &n) { return NEW(bir_module_add_queue(p.module, n.data(), n.size(), 0, nullptr, nullptr, &err)); },
          CALLS(queue));
}

static void blocks(std::size_t size, int of) {
    Program p;
    OK(bir_inst_erase(of == 1 ? NEW(bir_block_add_inst(p.block, 0, T("x"), nullptr, nullptr, &err)) : p.loop, &err));
    if (of == 0)
        OK(bir_block_erase(p.block, &err));
    bir_block_holder *handle = of == 0   ? NEW(bir_function_block_holder(p.function, &err))
                               : of == 1 ? NEW(bir_inst_block_holder(p.loop, &err))
                                         : NEW(bir_queue_block_holder(p.queue, &err));
    auto *holder = as<layout::BasicBlockHolder>(handle);
    // The holder is where its owner has it: the start of a function and of a queue, in front of an instruction.
    void *expected = of == 0 ? static_cast<void *>(&as<layout::Function>(p.function)->basic_block_holder)
                     : of == 1
                         ? static_cast<void *>(reinterpret_cast<char *>(p.loop) - offsetof(layout::InstLoop, instruction))
                         : static_cast<void *>(&as<layout::DMAQueue>(p.queue)->basic_block_holder);
    CHECK(static_cast<void *>(holder) == expected && (holder->holder_kind == 0) == (of == 0));
    level("blocks", size, holder->blocks, offsetof(layout::BasicBlock, named), holder,
          [&](const std::string &n) { return NEW(bir_block_holder_add_block(handle, n.data(), n.size(), nullptr, nullptr, &err)); },
          CALLS(block));
}

static void instructions(std::size_t size) {
    Program p;
    OK(bir_inst_erase(p.loop, &err));
    auto *block = as<layout::BasicBlock>(p.block);
    std::int32_t opcode = 0;
    level("instructions", size, block->named_object_container, offsetof(layout::Instruction, named), block,
          [&](const std::string &n) {
              opcode = (opcode + 1) % 110;
              return NEW(bir_block_add_inst(p.block, opcode, n.data(), n.size(), nullptr, nullptr, &err));
          },
          CALLS(inst));
}

static void storages(std::size_t size) {
    Program p;
    OK(bir_set_erase(p.set, &err));
    auto *function = as<layout::Function>(p.function);
    std::size_t n = 0;
    level("storages", size, function->storages, offsetof(layout::Storage, named), function,
          [&](const std::string &name) -> void * {
              if (n++ % 2 == 0)
                  return NEW(bir_function_add_register(p.function, name.data(), name.size(), nullptr, nullptr, &err));
              return NEW(bir_function_add_set(p.function, name.data(), name.size(), 0, 0, nullptr, nullptr, &err));
          },
          CALLS(storage));
}

static void locations(std::size_t size) {
    Program p;
    auto *set = as<layout::MemoryLocationSet>(p.set);
    level("locations", size, set->locations, offsetof(layout::MemoryLocation, named), set,
          [&](const std::string &n) { return NEW(bir_set_add_location(p.set, n.data(), n.size(), BIR_MEMORY_TYPE_DRAM, nullptr, nullptr, &err)); },
          CALLS(location));
}

int main(int argc, char **argv) {
    std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
    CHECK(bir_layout_hash() == layout::layout_hash);
    // Around each change of the table, and of libstdc++'s way to find in small ones.
    std::vector<std::size_t> sizes = {0, 1, 13, 14, 20, 21, 30};
    if (largest > 1000)
        sizes.push_back(1000);
    for (std::size_t size : sizes) {
        functions(size, false);
        functions(size, true);
        queues(size);
        for (int of = 0; of < 3; of++)
            blocks(size, of);
        instructions(size);
        storages(size);
        locations(size);
    }
    instructions(largest);
    return 0;
}
