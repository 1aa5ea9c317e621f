// In the box: values of C++ to JSON and back, and calls whose parameters are known by their types.
#pragma once

#include "kit_runtime.h"

#include <cxxabi.h>

#include <concepts>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

namespace kit {

struct Unfit {
  std::string why;
};

template <class T>
struct Struct;  // specialised for each plain struct of the program

template <class T>
concept Known = requires { Struct<T>::known; };

inline std::deque<std::string> &kept() {
  static std::deque<std::string> texts;
  return texts;
}

inline std::string bare(std::string name) {
  for (std::string_view part : {"__cxx11::", "__1::"}) {
    for (size_t at; (at = name.find(part)) != std::string::npos;) name.erase(at, part.size());
  }
  return name;
}

inline std::string demangled(const std::type_info &type) {
  int status = 0;
  char *name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string text = name ? name : type.name();
  std::free(name);
  return bare(text);
}

template <class T, template <class...> class M>
struct IsMade : std::false_type {};
template <class... A, template <class...> class M>
struct IsMade<M<A...>, M> : std::true_type {};

template <class T>
concept Json = requires(T v) { v.dump(); T::parse(std::string()); };
template <class T>
concept Mapping = requires { typename T::mapped_type; typename T::key_type; };
template <class T>
concept SetLike = requires { typename T::key_type; } && !Mapping<T>;
template <class T>
concept Listed = requires(T v) { typename T::value_type; v.begin(); v.end(); } &&
                 !Mapping<T> && !SetLike<T> && !std::convertible_to<T, std::string_view> && !Json<T>;
template <class T>
concept Grows = requires(T v, typename T::value_type i) { v.insert(v.end(), std::move(i)); };
template <class T>
concept Tupled = IsMade<T, std::tuple>::value || IsMade<T, std::pair>::value;
template <class T>
concept Pointer = requires(T v) { *v; static_cast<bool>(v); v.get(); };
template <class T>
concept Path = requires(T v) { v.native(); v.lexically_normal(); };
template <class T, class Node>
concept Means = std::same_as<T, Node> ||
                requires(T v) { requires std::same_as<std::remove_cvref_t<decltype(*v)>, Node>; };
template <class T, class Node>
concept Holds = Listed<T> && Means<typename T::value_type, Node>;
// A tree whose nodes say by an enum which field counts: nobody else can know what it holds.
template <class Node, class... Field>
concept Tagged = (std::is_enum_v<Field> || ...) && (Holds<Field, Node> || ...);
// A struct around one variant that holds lists of such structs: it says what the variant says.
template <class Node, class... Field>
struct IsWrapper : std::false_type {};
template <class Node, class... One>
struct IsWrapper<Node, std::variant<One...>> : std::bool_constant<(Holds<One, Node> || ...)> {};
template <class T>
concept Byte = std::same_as<T, unsigned char> || std::same_as<T, std::byte>;

// ---- C++ to JSON ----

template <class T>
void put(const T &value);

inline void put_text(std::string_view text) { kit_put_text(text.data(), text.size()); }

template <class T>
void put_key(const T &key) {
  if constexpr (std::convertible_to<T, std::string_view>) {
    put_text(key);
  } else {
    size_t mark = kit_mark();
    put(key);
    const kit_node *made = kit_taken(mark);
    kit_forget(mark);
    kit_put_text(made->text ? made->text : "", made->size);
  }
}

template <class T>
void put_items(const T &items, const char *open, const char *close) {
  const char *between = open;
  for (auto &&item : items) {
    kit_put(std::exchange(between, ","));
    put<std::remove_cvref_t<decltype(item)>>(item);
  }
  kit_put(between == open ? open : "");
  kit_put(close);
}

template <class T>
void put_pairs(const T &items) {
  const char *between = "{";
  for (auto &&[key, item] : items) {
    kit_put(std::exchange(between, ","));
    put_key(key);
    kit_put(":");
    put(item);
  }
  kit_put(*between == '{' ? "{}" : "}");
}

template <class T>
void put_unknown(const T &value) {
  kit_put("{\"__type__\":");
  put_text(demangled(typeid(value)));
  kit_put(",\"__repr__\":\"\"}");
}

template <class T>
void put_scalar(const T &value) {
  if constexpr (std::same_as<T, bool>) {
    kit_put(value ? "true" : "false");
  } else if constexpr (std::same_as<T, char>) {
    kit_put_text(&value, 1);
  } else if constexpr (std::floating_point<T>) {
    kit_put_real(static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    put_scalar(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_signed_v<T>) {
    kit_put_integer(static_cast<long long>(value));
  } else {
    kit_put_natural(static_cast<unsigned long long>(value));
  }
}

template <class T>
void put_list(const T &value) {
  if constexpr (Byte<std::remove_cvref_t<typename T::value_type>>) {
    kit_put("{\"__bytes__\":\"");
    for (auto byte : value) {
      const char *digits = "0123456789abcdef";
      const auto n = static_cast<unsigned>(byte);
      const char pair[] = {digits[n >> 4], digits[n & 15], 0};
      kit_put(pair);
    }
    kit_put("\"}");
  } else {
    put_items(value, "[", "]");
  }
}

template <class T>
void put(const T &value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    put_scalar(value);
  } else if constexpr (Json<T>) {
    kit_put(value.dump(-1, ' ', true, T::error_handler_t::replace).c_str());
  } else if constexpr (std::is_pointer_v<T> && std::convertible_to<T, const char *>) {
    value ? put_text(value) : kit_put("null");
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    put_text(value);
  } else if constexpr (std::is_array_v<T>) {
    put_items(value, "[", "]");
  } else if constexpr (Path<T>) {
    put_text(value.native());
  } else if constexpr (IsMade<T, std::optional>::value || Pointer<T> || std::is_pointer_v<T>) {
    if constexpr (requires { put(*value); }) {
      value ? put(*value) : kit_put("null");
    } else {
      put_unknown(value);
    }
  } else if constexpr (IsMade<T, std::variant>::value) {
    std::visit([](const auto &inner) { put(inner); }, value);
  } else if constexpr (std::same_as<T, std::monostate> || std::same_as<T, std::nullptr_t>) {
    kit_put("null");
  } else if constexpr (Tupled<T>) {
    const char *between = "[";
    std::apply([&](const auto &...part) { ((kit_put(std::exchange(between, ",")), put(part)), ...); },
               value);
    kit_put(*between == '[' ? "[]" : "]");
  } else if constexpr (Mapping<T>) {
    put_pairs(value);
  } else if constexpr (SetLike<T>) {
    put_items(value, "{\"__set__\":[", "]}");
  } else if constexpr (Listed<T>) {
    put_list(value);
  } else if constexpr (Known<T>) {
    Struct<T>::put(value);
  } else {
    put_unknown(value);
  }
}

// One field of a struct; an optional one that holds nothing is left out.
template <class T>
void put_field(const char *&between, const char *name, const T &value) {
  if constexpr (IsMade<T, std::optional>::value) {
    if (!value) return;
  }
  kit_put(std::exchange(between, ","));
  put_text(name);
  kit_put(":");
  put(value);
}

// ---- JSON to C++ ----

inline std::string shown(const kit_node *node) {
  static const char *const names[] = {"null", "false", "true", "number", "text", "list", "object"};
  std::string text = names[node->kind];
  return node->kind == KIT_NUMBER ? text + " " + node->text : text;
}

template <class T>
[[noreturn]] void unfit(const kit_node *node) {
  throw Unfit{"A value of type " + demangled(typeid(T)) + " cannot be " + shown(node) + "."};
}

template <class T>
T get(const kit_node *node);

template <class T>
T get_scalar(const kit_node *node) {
  if constexpr (std::same_as<T, bool>) {
    if (node->kind != KIT_TRUE && node->kind != KIT_FALSE) unfit<T>(node);
    return node->kind == KIT_TRUE;
  } else if constexpr (std::floating_point<T>) {
    double real = 0;
    if (!kit_real(node, &real)) unfit<T>(node);
    return static_cast<T>(real);
  } else if constexpr (std::same_as<T, char>) {
    if (node->kind != KIT_TEXT || node->size != 1) unfit<T>(node);
    return *node->text;
  } else {
    long long whole = 0;
    unsigned long long natural = 0;
    const int kinds = kit_integer(node, &whole, &natural);
    const bool fits = std::is_signed_v<T> ? (kinds & 1) && std::in_range<T>(whole)
                                          : (kinds & 2) && std::in_range<T>(natural);
    if (!fits) unfit<T>(node);
    return std::is_signed_v<T> ? static_cast<T>(whole) : static_cast<T>(natural);
  }
}

inline std::string get_text(const kit_node *node) {
  char *text = nullptr;
  size_t size = 0;
  if (!kit_string(node, &text, &size)) unfit<std::string>(node);
  std::string made(text, size);
  std::free(text);
  return made;
}

template <class T, size_t I = 0>
T get_variant(const kit_node *node) {
  if constexpr (I == std::variant_size_v<T>) {
    unfit<T>(node);
  } else {
    using One = std::variant_alternative_t<I, T>;
    const bool whole = node->kind == KIT_NUMBER && !std::strpbrk(node->text, ".eE");
    constexpr bool later_real = std::floating_point<One> && I + 1 < std::variant_size_v<T>;
    try {
      if (!(later_real && whole)) return T(std::in_place_index<I>, get<One>(node));
    } catch (const Unfit &) {
    }
    try {
      return get_variant<T, I + 1>(node);
    } catch (const Unfit &) {
      return T(std::in_place_index<I>, get<One>(node));
    }
  }
}

template <class T, size_t... I>
T get_tuple(const kit_node *node, std::index_sequence<I...>) {
  if (node->kind != KIT_LIST || node->count != sizeof...(I)) unfit<T>(node);
  return T{get<std::remove_cvref_t<std::tuple_element_t<I, T>>>(kit_item(node, I))...};
}

template <class T>
T get_members(const kit_node *node) {
  const kit_node *set = SetLike<T> ? kit_member(node, "__set__") : nullptr;
  if (set) node = set;
  if (node->kind != (Mapping<T> ? KIT_OBJECT : KIT_LIST)) unfit<T>(node);
  T made{};
  for (const kit_node *at = node->first; at; at = at->next) {
    if constexpr (Mapping<T>) {
      kit_node key{KIT_TEXT, at->key, nullptr, at->key_size, 0, 0, nullptr, nullptr};
      if (!std::convertible_to<typename T::key_type, std::string_view>) key.kind = KIT_NUMBER;
      made.emplace(get<typename T::key_type>(&key), get<typename T::mapped_type>(at));
    } else {
      made.insert(made.end(), get<typename T::value_type>(at));
    }
  }
  return made;
}

template <class T>
T get_list(const kit_node *node) {
  if constexpr (Byte<typename T::value_type>) {
    if (node->kind == KIT_TEXT || kit_member(node, "__bytes__")) {
      T made{};
      for (char c : get_text(node)) made.insert(made.end(), static_cast<typename T::value_type>(c));
      return made;
    }
  }
  return get_members<T>(node);
}

template <class T>
T get(const kit_node *node) {
  if constexpr (std::is_arithmetic_v<T>) {
    return get_scalar<T>(node);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(get_scalar<std::underlying_type_t<T>>(node));
  } else if constexpr (std::same_as<T, std::string>) {
    return get_text(node);
  } else if constexpr (std::same_as<T, const char *> || std::same_as<T, char *>) {
    if (node->kind == KIT_NULL) return nullptr;
    std::string &text = kept().emplace_back(get_text(node));
    if (text.find('\0') != std::string::npos) throw Unfit{"No C string can hold a NUL character."};
    return text.data();
  } else if constexpr (std::same_as<T, std::string_view>) {
    return kept().emplace_back(get_text(node));
  } else if constexpr (Json<T>) {
    size_t mark = kit_mark();
    kit_copy(node);
    T made = T::parse(kit_text(mark));
    kit_forget(mark);
    return made;
  } else if constexpr (Path<T>) {
    return T(get_text(node));
  } else if constexpr (IsMade<T, std::optional>::value) {
    if (node->kind == KIT_NULL) return std::nullopt;
    return T(get<typename T::value_type>(node));
  } else if constexpr (IsMade<T, std::variant>::value) {
    return get_variant<T>(node);
  } else if constexpr (std::same_as<T, std::monostate>) {
    if (node->kind != KIT_NULL) unfit<T>(node);
    return {};
  } else if constexpr (Tupled<T>) {
    return get_tuple<T>(node, std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (Mapping<T> || SetLike<T>) {
    return get_members<T>(node);
  } else if constexpr (Listed<T> && Grows<T>) {
    return get_list<T>(node);
  } else if constexpr (Known<T>) {
    return Struct<T>::get(node);
  } else {
    throw Unfit{"A value of type " + demangled(typeid(T)) + " cannot be made."};
  }
}

template <class T>
void get_field(const kit_node *object, const char *name, T &field) {
  const kit_node *node = kit_member(object, name);
  if (!node) return;
  if constexpr (std::is_array_v<T> && std::is_same_v<std::remove_extent_t<T>, char>) {
    const std::string text = get_text(node);
    if (text.size() >= sizeof field) unfit<T>(node);
    std::memcpy(field, text.c_str(), text.size() + 1);
  } else if constexpr (std::is_move_assignable_v<T> && !std::is_array_v<T>) {
    field = get<T>(node);
  } else {
    unfit<T>(node);
  }
}

// ---- calls ----

template <class... P>
struct Params {
  using Kept = std::tuple<std::remove_cvref_t<P>...>;
};

template <class F>
struct Signature;
template <class R, class... P, bool N>
struct Signature<R (*)(P...) noexcept(N)> : Params<P...> {};
template <class R, class C, class... P, bool N>
struct Signature<R (C::*)(P...) noexcept(N)> : Params<P...> {};
template <class R, class C, class... P, bool N>
struct Signature<R (C::*)(P...) const noexcept(N)> : Params<P...> {};

template <class S, size_t... I>
auto given(const kit_node *args, std::index_sequence<I...>) {
  using Kept = typename S::Kept;
  return std::tuple<std::tuple_element_t<I, Kept>...>{get<std::tuple_element_t<I, Kept>>(kit_item(args, I))...};
}

// A `T` made of `N` arguments of the types of signature `S`.
template <class T, class S, size_t N>
std::unique_ptr<T> made(const kit_node *args) {
  auto make = [](auto &&...a) { return std::make_unique<T>(std::forward<decltype(a)>(a)...); };
  return std::apply(make, given<S>(args, std::make_index_sequence<N>()));
}

// Calls `f` with `N` arguments of the types of signature `S`, and writes what it gives.
template <class S, size_t N, class F>
void call(const kit_node *args, F f) {
  auto values = given<S>(args, std::make_index_sequence<N>());
  if constexpr (std::is_void_v<decltype(std::apply(f, std::move(values)))>) {
    std::apply(f, std::move(values));
    kit_put("null");
  } else {
    decltype(auto) result = std::apply(f, std::move(values));
    put<std::remove_cvref_t<decltype(result)>>(result);
  }
}

// ---- exceptions ----

inline void bases(const std::type_info *type, const char *&between) {
  auto one = [&](const std::type_info *base) {
    kit_put(std::exchange(between, ","));
    put_text(demangled(*base));
    bases(base, between);
  };
  if (auto *single = dynamic_cast<const abi::__si_class_type_info *>(type)) {
    one(single->__base_type);
  } else if (auto *several = dynamic_cast<const abi::__vmi_class_type_info *>(type)) {
    for (unsigned i = 0; i < several->__base_count; i++) one(several->__base_info[i].__base_type);
  }
}

// Inside of a handler: the class of what was thrown, its ancestors and its message.
inline void put_thrown(const char *name, const char *bases_name) {
  const std::type_info *type = abi::__cxa_current_exception_type();
  std::string message;
  try {
    throw;
  } catch (const std::exception &error) {
    message = error.what();
  } catch (const std::string &text) {
    message = text;
  } catch (const char *text) {
    message = text ? text : "";
  } catch (...) {
    message.clear();
  }
  const char *between = "[";
  kit_put("\"");
  kit_put(name);
  kit_put("\":");
  put_text(type ? demangled(*type) : "unknown");
  kit_put(",\"");
  kit_put(bases_name);
  kit_put("\":");
  if (type) bases(type, between);
  kit_put(*between == '[' ? "[]" : "]");
  kit_put(",\"message\":");
  put_text(message.substr(0, 10000));
}

inline void send_thrown(const char *kind) {
  kit_forget(0);
  kit_put("{\"during\":\"call\",\"kind\":\"");
  kit_put(kind);
  kit_put("\",");
  put_thrown("exception", "bases");
  kit_put("}");
  kit_send();
}

using Invoke = void (*)(const char *method, const kit_node *args, const kit_node *results);

// Performs the job: one call, or several whose failures are members of the list of results.
inline void perform(Invoke invoke) {
  const kit_node *job = kit_job();
  const bool many = kit_member(job, "many")->kind == KIT_TRUE;
  kit_put("{\"during\":\"call\",\"kind\":\"value\",\"value\":");
  kit_node results{KIT_LIST, nullptr, nullptr, 0, 0, 0, nullptr, nullptr};
  kit_node **tail = &results.first;
  if (many) kit_put("[");
  for (const kit_node *at = kit_member(job, "calls")->first; at; at = at->next) {
    const kit_node *method = kit_item(at, 0);
    const char *name = method->kind == KIT_TEXT ? method->text : "";
    if (many && results.count) kit_put(",");
    const size_t mark = kit_mark();
    try {
      invoke(name, kit_item(at, 1), &results);
    } catch (const Unfit &) {
      throw;
    } catch (...) {
      if (!many) throw;
      kit_forget(mark);
      kit_put("{");
      put_thrown("raises", "bases");
      kit_put("}");
    }
    *tail = kit_taken(mark);
    tail = &(*tail)->next;
    results.count++;
  }
  kit_put(many ? "]}" : "}");
  kit_send();
}

inline int run(Invoke invoke) {
  try {
    perform(invoke);
  } catch (const Unfit &reason) {
    kit_unfit(reason.why.c_str());
  } catch (...) {
    send_thrown("exception");
  }
  return 0;
}

// {"__result__": n} in the arguments is the result of an earlier call.
inline const kit_node *resolved(const kit_node *args, const kit_node *results) {
  auto *made = new kit_node(*args);
  kit_node **tail = &made->first;
  for (const kit_node *at = args->first; at; at = at->next) {
    const kit_node *n = kit_member(at, "__result__");
    const kit_node *from = n ? kit_item(results, static_cast<size_t>(std::atoi(n->text))) : nullptr;
    auto *copy = new kit_node(from ? *from : *at);
    copy->next = nullptr;
    *tail = copy;
    tail = &copy->next;
  }
  return made;
}

}  // namespace kit
