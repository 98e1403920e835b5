// Enums as documents carry them: by name. The lists come from spec/enums.toml when the baseline is built.
#pragma once

#include <stdexcept>
#include <string>
#include <unordered_map>

namespace baseline {

class Names {
public:
    struct Member {
        int ordinal;
        const char *name;
    };
    template <std::size_t N> Names(const char *what, const Member (&members)[N]) : what(what) {
        for (const Member &member : members) {
            ordinals.emplace(member.name, member.ordinal);
            names.emplace(member.ordinal, member.name);
        }
    }
    int ordinal(const std::string &name) const {
        auto found = ordinals.find(name);
        if (found == ordinals.end()) {
            throw std::runtime_error(std::string("Unknown ") + what + " string: " + name);
        }
        return found->second;
    }
    const std::string &name(int ordinal) const { return names.at(ordinal); }

private:
    const char *what;
    std::unordered_map<std::string, int> ordinals;
    std::unordered_map<int, std::string> names;
};

// One `inline const Names Enum` per enum.
#include "enums.inc"

} // namespace baseline
