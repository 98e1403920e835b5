// bir.hpp: results, texts, lists, ranges and exceptions.
#include "bir.hpp"

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

using namespace std::string_view_literals;

#define CHECK(...)                                                                                                     \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                     \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (false)

template <class F> bir_status status_of(F f) {
    try {
        f();
    } catch (const bir::error &e) {
        CHECK(e.what()[0] != '\0');
        return e.status;
    }
    return BIR_STATUS_OK;
}

int main() {
    bir::module module = bir::make_module();
    bir_function *function = bir::call(bir_module_add_function, module.get(), "main"sv, nullptr, nullptr);
    bir_block *block = bir::call(bir_function_add_block, function, std::string("block"), nullptr, nullptr);
    std::vector<bir_inst *> made;
    for (int i = 0; i < 10; i++)
        made.push_back(bir::call(bir_block_add_inst, block, i, "inst"sv, nullptr, nullptr));
    CHECK(bir::get(bir_function_name, function) == "main"sv);
    CHECK(bir::get(bir_inst_name, made[3]) == "inst_3"sv && bir::get(bir_block_inst_count, block) == 10);
    CHECK(bir::get(bir_inst_debug, made[0]).data() == nullptr);

    std::vector<bir_inst *> seen;
    for (bir_inst *inst : bir::each(bir::call(bir_block_first_inst, block), bir_inst_next))
        seen.push_back(inst);
    CHECK(seen == made);
    std::vector<bir_inst *> backward;
    for (bir_inst *inst : bir::each(bir::call(bir_block_last_inst, block), bir_inst_prev))
        backward.push_back(inst);
    CHECK(std::vector<bir_inst *>(backward.rbegin(), backward.rend()) == made);
    auto none = bir::each(bir::call(bir_inst_block_holder, made[0]) == nullptr ? static_cast<bir_inst *>(nullptr) : made[0], bir_inst_next);
    CHECK(none.begin() == none.end() && std::distance(none.begin(), none.end()) == 0);

    bir::call(bir_inst_add_dependency, made[1], made[0], BIR_EDGE_KIND_FLOW, BIR_EDGE_SET_NORMAL, nullptr);
    std::vector<bir_edge> edges = bir::list(bir_inst_dependencies, made[1], BIR_EDGE_SET_NORMAL);
    CHECK(edges.size() == 1 && edges[0].target == made[0] && edges[0].kind == BIR_EDGE_KIND_FLOW);
    CHECK(bir::list(bir_inst_dependencies, made[0], BIR_EDGE_SET_NORMAL).empty());

    CHECK(bir::call(bir_module_find_function, module.get(), "absent"sv) == nullptr);
    CHECK(status_of([&] { bir::call(bir_inst_set_engine, made[0], 99); }) == BIR_STATUS_UNKNOWN_ENUM);
    CHECK(status_of([&] { bir::call(bir_block_add_inst, block, 110, "x"sv, nullptr, nullptr); }) == BIR_STATUS_UNKNOWN_ENUM);
    CHECK(status_of([&] { bir::get(bir_inst_unroll_dependency, made[0], std::size_t{0}); }) == BIR_STATUS_NOT_FOUND);
    bir::call(bir_inst_erase, made[0]);
    CHECK(status_of([&] { bir::call(bir_inst_set_engine, made[0], 1); }) == BIR_STATUS_DETACHED);

    // Modules move and free themselves.
    bir::module moved = std::move(module);
    CHECK(module == nullptr && bir::get(bir_module_function_count, moved.get()) == 1);
    moved = bir::make_module();
    CHECK(bir::get(bir_module_function_count, moved.get()) == 0);
    return 0;
}
