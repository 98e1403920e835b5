// C++17 on top of bir.h: failures become exceptions, results become return values, lists become ranges.
//
// There is one template per form of function, so every function of bir.h can be used this way, those of later versions
// too. Nothing is added to the objects: pointers are the plain C ones, with the rules of bir.h for their life and threads.
//
//     bir::module module = bir::make_module();
//     bir_function *main = bir::call(bir_module_add_function, module.get(), "main"sv, nullptr, nullptr);
//     for (bir_block *block : bir::each(bir::call(bir_function_first_block, main), bir_block_next))
//         std::cout << bir::get(bir_block_name, block) << '\n';
#ifndef BIR_HPP
#define BIR_HPP

#include "bir.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace bir {

// A call that failed. what() is the reason; the other members are those of bir_error.
class error : public std::runtime_error {
  public:
    explicit error(const bir_error &e)
        : std::runtime_error(e.message), status(e.status), line(e.line), column(e.column), offset(e.offset), path(e.path) {}

    bir_status status;
    std::uint32_t line;
    std::uint32_t column;
    std::uint64_t offset;
    std::string path;
};

namespace detail {

inline bir_error fresh() {
    bir_error e{};
    e.size = sizeof e;
    return e;
}

// The parameters of C that an argument stands for: two for a text, else itself.
inline auto unpack(std::string_view text) { return std::make_tuple(text.data(), text.size()); }
inline auto unpack(const std::string &text) { return std::make_tuple(text.data(), text.size()); }
template <class T>
std::enable_if_t<!std::is_class_v<std::decay_t<T>>, std::tuple<std::decay_t<T>>> unpack(T &&value) {
    return std::tuple<std::decay_t<T>>(std::forward<T>(value));
}

template <class F, class... A> auto invoke(F f, bir_error &e, const A &...arguments) {
    return std::apply([&](auto... a) { return f(a..., &e); }, std::tuple_cat(unpack(arguments)...));
}

// The type of the n-th parameter from the end (1: the last), which is a pointer, without that pointer.
template <std::size_t N, class... P>
using target = std::remove_pointer_t<std::tuple_element_t<sizeof...(P) - N, std::tuple<P...>>>;

} // namespace detail

// Calls a function whose last parameter is the error, with the others as arguments; a std::string or std::string_view
// stands for a text and its length. Returns the object, or nothing for a status. Throws bir::error.
template <class R, class... P, class... A> auto call(R (*f)(P...), const A &...arguments) {
    bir_error e = detail::fresh();
    const R result = detail::invoke(f, e, arguments...);
    if (e.status != BIR_STATUS_OK)
        throw error(e);
    if constexpr (std::is_pointer_v<R>)
        return result;
}

// Calls a function that hands one result out, by its last parameter before the error, and returns that result; a text
// as std::string_view into the module's memory (with data() NULL if it is absent). Throws bir::error.
template <class... P, class... A> auto get(bir_status (*f)(P...), const A &...arguments) {
    detail::target<2, P...> result{};
    call(f, arguments..., &result);
    if constexpr (std::is_same_v<decltype(result), bir_string>)
        return std::string_view(result.data, result.len);
    else
        return result;
}

// Calls a function that copies a list out, by the parameters (out, capacity, count) before the error, and returns the
// list. Throws bir::error.
template <class... P, class... A> auto list(bir_status (*f)(P...), const A &...arguments) {
    using element = detail::target<4, P...>;
    std::size_t count = 0;
    call(f, arguments..., static_cast<element *>(nullptr), std::size_t{0}, &count);
    std::vector<element> result(count);
    if (count != 0)
        call(f, arguments..., result.data(), result.size(), &count);
    return result;
}

// Objects from the first one on, by a function that tells the next one. Do not erase or move the object that the loop is
// at: the step to the next one starts from it.
template <class T> class range {
  public:
    using step = T *(*)(const T *, bir_error *);

    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T *;
        using difference_type = std::ptrdiff_t;
        using pointer = T *const *;
        using reference = T *;

        iterator(T *at, step next) : at_(at), next_(next) {}
        T *operator*() const { return at_; }
        iterator &operator++() {
            at_ = call(next_, static_cast<const T *>(at_));
            return *this;
        }
        iterator operator++(int) {
            iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const iterator &a, const iterator &b) { return a.at_ == b.at_; }
        friend bool operator!=(const iterator &a, const iterator &b) { return a.at_ != b.at_; }

      private:
        T *at_;
        step next_;
    };

    range(T *first, step next) : first_(first), next_(next) {}
    iterator begin() const { return iterator(first_, next_); }
    iterator end() const { return iterator(nullptr, next_); }

  private:
    T *first_;
    step next_;
};

// The objects from `first` on, by a bir_..._next or bir_..._prev function.
template <class T> range<T> each(T *first, T *(*next)(const T *, bir_error *)) { return range<T>(first, next); }

// Calls a function that copies a text out, by the parameters (text, capacity, len) before the error, and returns the text.
// Throws bir::error.
template <class... P, class... A> std::string text(bir_status (*f)(P...), const A &...arguments) {
    std::size_t len = 0;
    call(f, arguments..., static_cast<char *>(nullptr), std::size_t{0}, &len);
    std::string result(len + 1, '\0');
    call(f, arguments..., result.data(), result.size(), &len);
    result.resize(len);
    return result;
}

// Bytes in a handle as text, valid as long as the handle.
inline std::string_view view(const bir_bytes &bytes) {
    return std::string_view(reinterpret_cast<const char *>(bytes.data), bytes.len);
}

// Frees what a caller owns at the end of its scope.
struct destroy {
    void operator()(bir_module *o) const noexcept { bir_module_destroy(o); }
    void operator()(bir_difference *o) const noexcept { bir_difference_destroy(o); }
    void operator()(bir_changes *o) const noexcept { bir_changes_destroy(o); }
    void operator()(bir_buffer *o) const noexcept { bir_buffer_destroy(o); }
    void operator()(bir_load_report *o) const noexcept { bir_load_report_destroy(o); }
    void operator()(bir_lower_report *o) const noexcept { bir_lower_report_destroy(o); }
    void operator()(bir_dedup *o) const noexcept { bir_dedup_destroy(o); }
    void operator()(bir_pack_report *o) const noexcept { bir_pack_report_destroy(o); }
    void operator()(bir_package *o) const noexcept { bir_package_destroy(o); }
    void operator()(bir_findings *o) const noexcept { bir_findings_destroy(o); }
    void operator()(bir_package_writer *o) const noexcept { bir_package_writer_destroy(o); }
    void operator()(bir_package_reader *o) const noexcept { bir_package_reader_destroy(o); }
    void operator()(bir_dedup_report *o) const noexcept { bir_dedup_report_destroy(o); }
    void operator()(bir_constants_report *o) const noexcept { bir_constants_report_destroy(o); }
};

// What frees itself: a module with all that lies in it, and the handles.
using module = std::unique_ptr<bir_module, destroy>;
using difference = std::unique_ptr<bir_difference, destroy>;
using changes = std::unique_ptr<bir_changes, destroy>;
using buffer = std::unique_ptr<bir_buffer, destroy>;
using load_report = std::unique_ptr<bir_load_report, destroy>;
using lower_report = std::unique_ptr<bir_lower_report, destroy>;
using dedup = std::unique_ptr<bir_dedup, destroy>;
using pack_report = std::unique_ptr<bir_pack_report, destroy>;
using package = std::unique_ptr<bir_package, destroy>;
using findings = std::unique_ptr<bir_findings, destroy>;
using package_writer = std::unique_ptr<bir_package_writer, destroy>;
using package_reader = std::unique_ptr<bir_package_reader, destroy>;
using dedup_report = std::unique_ptr<bir_dedup_report, destroy>;
using constants_report = std::unique_ptr<bir_constants_report, destroy>;

// An empty module. Throws bir::error.
inline module make_module() { return module(call(bir_module_create)); }

namespace detail {

// Calls a function that makes one thing and, by the last parameter before the error, a report on it.
template <class Handle, class F, class Report, class... A> Handle with_report(F f, Report *report, const A &...arguments) {
    typename Report::pointer raw = nullptr;
    Handle result(call(f, arguments..., report == nullptr ? nullptr : &raw));
    if (report != nullptr)
        report->reset(raw);
    return result;
}

} // namespace detail

// A module from a document in JSON or CBOR; what was noticed goes to *report. Throws bir::error, with line and column or,
// for CBOR, with the offset alone.
inline module load(std::string_view text, const bir_read_options *options = nullptr, load_report *report = nullptr) {
    return detail::with_report<module>(bir_module_load, report, text, options);
}

// A module from a file of either format.
inline module load_file(std::string_view path, const bir_read_options *options = nullptr, load_report *report = nullptr) {
    return detail::with_report<module>(bir_module_load_file, report, path, options);
}

// The module as a document; the options say in which format.
inline std::string save(const bir_module *from, const bir_write_options *options = nullptr) {
    const buffer document(call(bir_module_save_to_buffer, from, options));
    return std::string(view(get(bir_buffer_bytes, document.get())));
}

// Writes the module as a file; a failure leaves the old file as it was.
inline void save_file(const bir_module *from, std::string_view path, const bir_write_options *options = nullptr) {
    call(bir_module_save_file, from, path, options);
}

// The module as text for people.
inline std::string print(const bir_module *from, const bir_print_options *options = nullptr) {
    std::string text;
    const bir_write_callback append = [](void *to, const char *bytes, std::size_t count) -> bir_status {
        try {
            static_cast<std::string *>(to)->append(bytes, count);
            return BIR_STATUS_OK;
        } catch (const std::exception &) {
            return BIR_STATUS_OUT_OF_MEMORY;
        }
    };
    call(bir_module_print, from, options, append, static_cast<void *>(&text));
    return text;
}

// The module as a package; what went into it goes to *report.
inline buffer pack(const bir_module *from, const bir_pack_options *options = nullptr, pack_report *report = nullptr) {
    return detail::with_report<buffer>(bir_pack_module, report, from, options);
}

// Opens a package in memory that stays as it is until the package is freed.
inline package open_package(std::string_view bytes, const bir_open_options *options = nullptr) {
    return package(call(bir_package_open, static_cast<const void *>(bytes.data()), bytes.size(), options));
}

// Reads and opens a package.
inline package open_package_file(std::string_view path, const bir_open_options *options = nullptr) {
    return package(call(bir_package_open_file, path, options));
}

// A writer for a package of one logical core of that many physical ones.
inline package_writer make_package_writer(std::string_view name, std::string_view target, std::uint32_t cores = 1,
                                          const bir_package_writer_options *options = nullptr) {
    return package_writer(call(bir_package_writer_create, name, target, cores, options));
}

// Opens a package to be read member by member.
inline package_reader read_package_file(std::string_view path, const bir_package_reader_options *options = nullptr) {
    return package_reader(call(bir_package_reader_open_file, path, options));
}

// Calls f(member, read) for each member that is left, in file order; read(to, size) gives the member's next bytes and
// returns how many, less than size only at its end.
template <class F> void each_member(bir_package_reader *from, F f) {
    const auto read = [from](void *to, std::size_t size) {
        std::size_t count = 0;
        call(bir_package_reader_read, from, to, size, &count);
        return count;
    };
    for (;;) {
        bir_member member;
        std::uint8_t has = 0;
        call(bir_package_reader_next, from, &member, &has);
        if (has == 0)
            return;
        f(static_cast<const bir_member &>(member), read);
    }
}

} // namespace bir

#endif // BIR_HPP
