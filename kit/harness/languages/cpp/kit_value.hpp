// In the box: values of C++ to JSON and back, and calls whose parameters are known by their types.
#pragma once

#include "kit_runtime.h"

#include <cxxabi.h>

#include <array>
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
struct Struct;  // of each plain struct of the program: the names of its fields, and `tie`

template <class T>
concept Known = requires { Struct<T>::names; };

template <class T>
struct Construct;  // of classes of the program: `offers` their constructors to a choice

template <class T>
concept Constructed = requires { requires Construct<T>::known; };

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
concept IsArray = requires(T v) { std::tuple_size<T>::value; v[0]; };
template <class T>
concept Lent = IsMade<T, std::initializer_list>::value || requires(T v) { T::extent; v.subspan(0); };
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
template <class T, class Fields>
struct Shape;
template <class T, class... F>
struct Shape<T, std::tuple<F...>> {
  static constexpr bool tagged = Tagged<T, std::remove_cvref_t<F>...>;
  static constexpr bool wrapper = IsWrapper<T, std::remove_cvref_t<F>...>::value;
};
template <class T>
using ShapeOf = Shape<T, decltype(Struct<T>::tie(std::declval<T &>()))>;
template <class T>
concept Byte = std::same_as<T, unsigned char> || std::same_as<T, std::byte>;

// ---- C++ to JSON ----

template <class T>
void put(const T &value);
template <class T>
void put_struct(const T &value);

inline void put_text(std::string_view text) { kit_put_text(text.data(), text.size()); }

template <class T>
void put_key(const T &key) {
  if constexpr (std::convertible_to<T, std::string_view>) {
    put_text(key);
  } else if constexpr (std::same_as<T, float>) {
    put_key(static_cast<double>(key));
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
  } else if constexpr (std::same_as<T, float>) {
    kit_put_single(value);
  } else if constexpr (std::floating_point<T>) {
    kit_put_real(static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    put_scalar(static_cast<std::underlying_type_t<T>>(value));
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    kit_put_whole(static_cast<unsigned __int128>(static_cast<Wide>(value)), std::is_signed_v<T>);
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
    if constexpr (Known<std::remove_cvref_t<decltype(*value)>> || (!std::is_pointer_v<T> && requires { put(*value); })) {
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
    put_struct(value);
  } else {
    put_unknown(value);
  }
}

// The fields of a struct by name; an optional one that holds nothing is left out.
template <class T>
void put_struct(const T &value) {
  if constexpr (ShapeOf<T>::tagged) {
    put_unknown(value);
  } else if constexpr (ShapeOf<T>::wrapper) {
    put(std::get<0>(Struct<T>::tie(value)));
  } else {
    const char *between = "{", *const *name = Struct<T>::names;
    auto one = [&](const auto &field) {
      const char *key = *name++;
      if constexpr (IsMade<std::remove_cvref_t<decltype(field)>, std::optional>::value) {
        if (!field) return;
      }
      kit_put(std::exchange(between, ","));
      put_text(key);
      kit_put(":");
      put(field);
    };
    std::apply([&](const auto &...field) { (one(field), ...); }, Struct<T>::tie(value));
    kit_put(*between == '{' ? "{}" : "}");
  }
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
T lend(const kit_node *node);
template <class T>
std::unique_ptr<T> constructed(const kit_node *args);

// How far the values were from the types that they became: of several overloads the least far counts.
inline int distance;

template <class T>
T get_scalar(const kit_node *node) {
  const bool truth = node->kind == KIT_TRUE || node->kind == KIT_FALSE;
  if constexpr (std::same_as<T, bool>) {
    if (!truth) unfit<T>(node);
    return node->kind == KIT_TRUE;
  } else if constexpr (std::floating_point<T>) {
    double real = 0;
    if (!kit_real(node, &real)) unfit<T>(node);
    distance += node->kind == KIT_NUMBER && !std::strpbrk(node->text, ".eE");
    if constexpr (std::same_as<T, long double>) {
      if (node->kind == KIT_NUMBER) return std::strtold(node->text, nullptr);
    }
    return static_cast<T>(real);
  } else if constexpr (std::same_as<T, char>) {
    if (node->kind != KIT_TEXT || node->size != 1) unfit<T>(node);
    distance++;
    return *node->text;
  } else {
    unsigned __int128 value = node->kind == KIT_TRUE;
    if (!truth && !kit_whole(node, sizeof(T), std::is_signed_v<T>, &value)) unfit<T>(node);
    distance += 2 * truth;
    return static_cast<T>(value);
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

// The alternative that is least far from the value.
template <class T, size_t... I>
T get_variant(const kit_node *node, std::index_sequence<I...>) {
  const int before = distance;
  int least = -1;
  std::optional<T> made;
  auto attempt = [&]<size_t J>(std::in_place_index_t<J> at) {
    distance = 0;
    try {
      T one(at, get<std::variant_alternative_t<J, T>>(node));
      if (least < 0 || distance < least) made.emplace(std::move(one)), least = distance;
    } catch (const Unfit &) {
    }
  };
  (attempt(std::in_place_index<I>), ...);
  if (!made) unfit<T>(node);
  distance = before + least;
  return std::move(*made);
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
      if (std::is_arithmetic_v<typename T::key_type> && !std::same_as<typename T::key_type, char>) {
        key.kind = KIT_NUMBER;
      }
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

// A field, or one of an array.
template <class T>
void set(T &field, const kit_node *node) {
  if constexpr (std::is_array_v<T> && std::same_as<std::remove_extent_t<T>, char>) {
    const std::string text = get_text(node);
    if (text.size() >= sizeof field) unfit<T>(node);
    std::memcpy(field, text.c_str(), text.size() + 1);
  } else if constexpr (std::is_array_v<T> || requires { std::tuple_size<T>::value; field[0]; }) {
    if (node->kind != KIT_LIST || node->count != std::size(field)) unfit<T>(node);
    for (size_t i = 0; i < node->count; i++) set(field[i], kit_item(node, i));
  } else if constexpr (std::is_move_assignable_v<T>) {
    field = get<T>(node);
  } else {
    unfit<T>(node);
  }
}

// What the input says of the field at `index`: by name or, in a list, by place; or NULL.
template <class T>
const kit_node *field_of(const kit_node *node, size_t index) {
  const kit_node *one = node->kind == KIT_LIST ? kit_item(node, index) : kit_member(node, Struct<T>::names[index]);
  return kit_member(one, "__undefined__") ? nullptr : one;
}

template <class T, class... F, size_t... I>
void set_fields(std::tuple<F &...> fields, const kit_node *node, std::index_sequence<I...>) {
  auto one = [&](auto &field, const kit_node *value) { if (value) set(field, value); };
  (one(std::get<I>(fields), field_of<T>(node, I)), ...);
}

template <class T, class... F, size_t... I>
T get_braced(std::tuple<F &...> *, const kit_node *node, std::index_sequence<I...>) {
  for (const kit_node *value : {field_of<T>(node, I)...}) {
    if (!value) throw Unfit{"The input leaves out a field of " + demangled(typeid(T)) + "."};
  }
  return T{get<std::remove_cvref_t<F>>(field_of<T>(node, I))...};
}

// Whether an aggregate is made in one piece: it has no value without fields, or constant ones.
template <class T, class... F>
constexpr bool is_braced(std::tuple<F &...> *) {
  constexpr bool must = !std::default_initializable<T> || (std::is_const_v<F> || ...);
  return must && std::is_aggregate_v<T> && requires { T{std::declval<std::remove_cvref_t<F>>()...}; };
}

// An aggregate by its fields. Whatever of the input is none of them is not dropped but no value.
template <class T>
struct Made {
  using Fields = decltype(Struct<T>::tie(std::declval<T &>()));
  static constexpr auto all = std::make_index_sequence<std::tuple_size_v<Fields>>();
  static constexpr bool braced = is_braced<T>(static_cast<Fields *>(nullptr));

  static void check(const kit_node *node) {
    size_t taken = 0;
    if (node->kind != KIT_OBJECT && node->kind != KIT_LIST) unfit<T>(node);
    for (size_t i = 0; i < std::tuple_size_v<Fields>; i++) {
      const kit_node *one = node->kind == KIT_LIST ? kit_item(node, i) : kit_member(node, Struct<T>::names[i]);
      taken += one != nullptr;
    }
    if (taken < node->count) throw Unfit{demangled(typeid(T)) + " has no field for a part of the input."};
  }
  static T get(const kit_node *node) {
    check(node);
    if constexpr (braced) {
      return get_braced<T>(static_cast<Fields *>(nullptr), node, all);
    } else {
      T made{};
      set_fields<T>(Struct<T>::tie(made), node, all);
      return made;
    }
  }
};

template <class T>
T get_struct(const kit_node *node) {
  if constexpr (ShapeOf<T>::wrapper) {
    T made{};
    auto &only = std::get<0>(Struct<T>::tie(made));
    only = get<std::remove_cvref_t<decltype(only)>>(node);
    return made;
  } else if constexpr (std::default_initializable<T> || Made<T>::braced) {
    return Made<T>::get(node);
  } else {
    throw Unfit{demangled(typeid(T)) + " has no constructor without arguments."};
  }
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
    return get_variant<T>(node, std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (std::same_as<T, std::monostate>) {
    if (node->kind != KIT_NULL) unfit<T>(node);
    return {};
  } else if constexpr (Tupled<T>) {
    return get_tuple<T>(node, std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (Mapping<T> || SetLike<T>) {
    return get_members<T>(node);
  } else if constexpr (Listed<T> && Grows<T>) {
    return get_list<T>(node);
  } else if constexpr (IsArray<T>) {
    T made{};
    set(made, node);
    return made;
  } else if constexpr (Lent<T>) {
    return lend<T>(node);
  } else if constexpr (Pointer<T>) {
    using Inner = std::remove_const_t<typename T::element_type>;
    if (node->kind == KIT_NULL) return T();
    if constexpr (std::is_abstract_v<Inner>) unfit<T>(node);
    else return T(new Inner(get<Inner>(node)));
  } else if constexpr (Constructed<T> && std::move_constructible<T>) {
    return std::move(*constructed<T>(node));
  } else if constexpr (Known<T>) {
    return get_struct<T>(node);
  } else {
    throw Unfit{"A value of type " + demangled(typeid(T)) + " cannot be made."};
  }
}

// ---- calls ----

#ifdef __SANITIZE_ADDRESS__
constexpr size_t spare = 0;  // items behind a list's last, which no program may read
#else
constexpr size_t spare = 1;
#endif

// The items of a list, or as many zeros as there is room for; they outlive the call.
template <class T>
T *items(const kit_node *node) {
  T *made = new T[node->count + spare]{};
  size_t i = 0;
  for (const kit_node *at = node->first; at; at = at->next) set(made[i++], at);
  return made;
}

// A view of items that somebody else has to hold.
template <class T>
T lend(const kit_node *node) {
  if (node->kind != KIT_LIST) unfit<T>(node);
  auto *first = items<std::remove_const_t<typename T::value_type>>(node);
  if constexpr (IsMade<T, std::initializer_list>::value) {
    const struct { const void *first; size_t count; } parts{first, node->count};
    T list;
    static_assert(sizeof list == sizeof parts);
    std::memcpy(static_cast<void *>(&list), &parts, sizeof list);
    return list;
  } else {
    return T(first, node->count);
  }
}

// What a parameter of type `P` is made of: a value of its own that is passed as the function wants.
template <class P>
struct Slot {
  using Kept = std::remove_cvref_t<P>;
  static constexpr bool changes = (std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>) ||
                                  requires { requires !std::is_const_v<typename Kept::element_type> && Kept::extent; };
  const kit_node *node;
  Kept value;
  explicit Slot(const kit_node *node) : node(node), value(made(node)) {}
  static Kept made(const kit_node *node) {
    if constexpr (std::default_initializable<Kept>) {
      if (node->kind == KIT_ROOM) return Kept();
    }
    return get<Kept>(node);
  }
  P &&pass() { return static_cast<P &&>(value); }
  bool is_changed() const { return changes; }
  bool is_room() const { return node->kind == KIT_ROOM; }
  void show() const { put(value); }
};

template <class A>
  requires std::is_array_v<std::remove_reference_t<A>>
struct Slot<A> {
  std::remove_cvref_t<A> value{};
  explicit Slot(const kit_node *node) { set(value, node); }
  A pass() { return static_cast<A>(value); }
  bool is_changed() const { return !std::is_const_v<std::remove_reference_t<A>>; }
  bool is_room() const { return false; }
  void show() const { put(value); }
};

template <class T>
concept Pointed = requires { sizeof(T); } && !std::is_function_v<T>;

template <Pointed T>
struct Slot<T *> {
  using Item = std::remove_cv_t<T>;
  const kit_node *node;
  size_t count = 0;  // of several items
  Item *value;
  explicit Slot(const kit_node *node) : node(node), value(made()) {}
  T *pass() { return value; }
  bool is_changed() const { return value && !std::is_const_v<T>; }
  bool is_room() const { return node->kind == KIT_ROOM; }
  bool is_text() const { return sizeof(T) == 1 && (node->kind == KIT_TEXT || (is_room() && node->key)); }
  Item *made() {
    const bool many = node->kind == KIT_LIST || node->kind == KIT_ROOM;
    if (node->kind == KIT_NULL) return nullptr;
    if constexpr (std::same_as<Item, char> || Byte<Item>) {
      char *bytes = nullptr;
      size_t size = 0;
      if (!many && kit_string(node, &bytes, &size)) {
        if (std::same_as<Item, char> && std::strlen(bytes) != size) unfit<std::string>(node);
        return reinterpret_cast<Item *>(bytes);
      }
    }
    if constexpr (std::default_initializable<Item>) {
      if (many && !(Listed<Item> && node->kind == KIT_LIST && !is_nested())) {
        count = node->kind == KIT_LIST || node->key ? node->count : 0;
        return items<Item>(node);
      }
    }
    if constexpr (std::is_abstract_v<Item> || std::is_array_v<Item>) unfit<T *>(node);
    else return new Item(get<Item>(node));
  }
  // Whether the items are lists, and not one list.
  bool is_nested() const {
    try {
      if constexpr (Listed<Item>) get<Item>(node);
      return false;
    } catch (const Unfit &) {
      return true;
    }
  }
  void show() const {
    if (is_text()) return put_text(reinterpret_cast<const char *>(value));
    if (!count) return put(*value);
    for (size_t i = 0; i < count; i++) kit_put(i ? "," : "["), put(value[i]);
    kit_put("]");
  }
};

template <class P>
kit_param shape(const char *&names) {
  using T = std::remove_reference_t<P>;
  kit_param made{};
  made.name = names;
  made.whole = std::is_integral_v<T> && !std::same_as<T, bool> && !std::same_as<T, char>;
  made.reference = std::is_lvalue_reference_v<P> && !std::is_const_v<T>;
  if constexpr (std::is_pointer_v<T> && Pointed<std::remove_pointer_t<T>>) {
    using Item = std::remove_pointer_t<T>;
    made.pointer = true;
    made.item = sizeof(Item);
    made.fixed = std::is_const_v<Item>;
    made.text = std::same_as<std::remove_const_t<Item>, char> || Byte<std::remove_const_t<Item>>;
  }
  names += std::strcspn(names, " ");
  names += *names == ' ';
  return made;
}

template <class... P>
struct Params {
  static constexpr size_t count = sizeof...(P);
  template <size_t I>
  using At = std::tuple_element_t<I, std::tuple<P...>>;
};

// The parameters of a function, of a method, of an object that can be called, of a pointer to one.
template <class F>
struct Signature;
#define KIT_SIGNATURE(type) \
  template <class R, class C, class... P, bool N> \
  struct Signature<R (type)(P...) KIT_QUALIFIED noexcept(N)> : Params<P...> {}
template <class R, class... P, bool N>
struct Signature<R (*)(P...) noexcept(N)> : Params<P...> {};
#define KIT_QUALIFIED
KIT_SIGNATURE(C::*);
#undef KIT_QUALIFIED
#define KIT_QUALIFIED const
KIT_SIGNATURE(C::*);
#undef KIT_QUALIFIED
#define KIT_QUALIFIED &
KIT_SIGNATURE(C::*);
#undef KIT_QUALIFIED
#define KIT_QUALIFIED const &
KIT_SIGNATURE(C::*);
#undef KIT_QUALIFIED
#define KIT_QUALIFIED &&
KIT_SIGNATURE(C::*);
template <class F>
  requires std::is_class_v<F>
struct Signature<F *> : Signature<decltype(&F::operator())> {};
template <class F>
  requires std::is_pointer_v<F>
struct Signature<F *> : Signature<std::remove_cv_t<F>> {};

template <class... T>
struct Types {};
template <class... T>
struct Mixed {};  // what has no type in common, which nothing takes
#define KIT_CALL(name) \
  [&](auto &&...a) -> decltype(name(std::forward<decltype(a)>(a)...)) { \
    return name(std::forward<decltype(a)>(a)...); \
  }
struct Nothing {};  // what a constructor gives

template <class F, class... T>
constexpr bool takes(Types<T...>) {
  return requires(F f, T &...value) { f(value...); };
}

// Natural types of the arguments, and those where all numbers are real.
template <class Exact, class Real>
struct Or {};

// What a template may be given: a value of a type that only the input suggests.
template <class T>
struct Natural : Slot<T &> {
  using Slot<T &>::Slot;
  bool is_changed() const { return !std::is_arithmetic_v<T>; }
};

// An object by a constructor of its class; without these an aggregate by its fields.
template <class T>
std::unique_ptr<T> made(const kit_node *args) {
  if constexpr (Constructed<T>) return constructed<T>(args);
  if constexpr (std::default_initializable<T>) {
    if (!args->count) return std::make_unique<T>();
  }
  if constexpr (Known<T> && std::is_aggregate_v<T>) {
    Made<T>::check(args);
    if constexpr (Made<T>::braced) {
      return std::unique_ptr<T>(new T(Made<T>::get(args)));
    } else if constexpr (std::default_initializable<T>) {
      auto one = std::make_unique<T>();
      set_fields<T>(Struct<T>::tie(*one), args, Made<T>::all);
      return one;
    }
  }
  throw Unfit{demangled(typeid(T)) + " cannot be made of " + std::to_string(args->count) + " arguments."};
}

// One call. What is offered for it is tried first; then the offer that was least far is taken.
class Choice {
 public:
  const char *const method;
  Choice(const char *method, const kit_node *args) : method(method), args(args) {}

  bool asks(const char *name) const { return method && !std::strcmp(method, name); }

  // `N` arguments for `f`, of the types of signature `S`. names: of the parameters, with blanks.
  template <size_t N, class S, class F>
  void offer(const char *names, S, F f) {
    auto params = shapes<S>(names, std::make_index_sequence<N>());
    if (!kit_arrange(args, params.data(), N)) return;
    consider(names, f, [&] { return slots<S>(params.data(), std::make_index_sequence<N>()); });
  }

  // What a template deduces from types of the values; else whatever `further` offers.
  template <class F, class G, class... Exact, class... Real>
  void offer_generic(const char *names, F f, G further, Or<Exact, Real>...) {
    if constexpr (((takes<F>(Exact()) || takes<F>(Real())) || ...)) {
      (offer_natural(names, f, std::conditional_t<takes<F>(Exact()), Exact, Real>()), ...);
    } else {
      further(*this);
    }
  }

  template <class T>
  void offer_made(std::unique_ptr<T> &object) {
    if (is_tried) object = made<T>(args);
    best = 0;
  }

  void settle() {
    if (best < 0) {
      throw Unfit{reason.empty() ? "No " + std::string(method ? "function " : "constructor ") + (method ? method : "") +
                                       " of the program takes " + std::to_string(args->count) + " arguments." : reason};
    }
    is_tried = true;
    offered = 0;
  }

 private:
  const kit_node *const args;
  bool is_tried = false;
  int offered = 0, best = -1, least = 0;
  std::string reason;

  template <class S, size_t... I>
  static auto shapes(const char *names, std::index_sequence<I...>) {
    return std::array<kit_param, sizeof...(I)>{shape<typename S::template At<I>>(names)...};
  }
  template <class S, size_t... I>
  static auto slots(const kit_param *params, std::index_sequence<I...>) {
    return std::tuple<Slot<typename S::template At<I>>...>(params[I].given...);
  }

  template <class... T, size_t... I>
  static auto naturals(const kit_node **given, std::index_sequence<I...>) {
    return std::tuple<Natural<T>...>(given[I]...);
  }

  template <class F, class... T>
  void offer_natural(const char *names, F f, Types<T...> types) {
    if constexpr (takes<F>(types)) {
      if (args->count != sizeof...(T)) return;
      const kit_node *given[sizeof...(T) + 1], **next = given;
      for (const kit_node *at = args->first; at; at = at->next) *next++ = at;
      consider(names, f, [&] { return naturals<T...>(given, std::index_sequence_for<T...>()); });
    }
  }

  template <class F, class Make>
  void consider(const char *names, F f, Make make) {
    const int index = offered++;
    if (is_tried) {
      if (index != best) return;
      auto slots = make();
      execute(slots, names, f);
      return;
    }
    const int before = std::exchange(distance, 0);
    try {
      make();
      if (best < 0 || distance < least) best = index, least = distance;
    } catch (const Unfit &no) {
      if (reason.empty()) reason = no.why;
    }
    distance = before;
  }

  template <class Slots, class F>
  static void execute(Slots &slots, const char *names, F f) {
    auto call = [&](auto &...slot) -> decltype(auto) { return f(slot.pass()...); };
    using R = decltype(std::apply(call, slots));
    const int rooms = std::apply([](auto &...slot) { return (0 + ... + slot.is_room()); }, slots);
    if constexpr (std::is_void_v<R>) {
      std::apply(call, slots);
      std::apply([&](auto &...slot) { put_changed(rooms, names, slot...); }, slots);
    } else {
      if (rooms) throw Unfit{"The program both returns a value and writes one."};
      decltype(auto) result = std::apply(call, slots);
      if constexpr (!std::same_as<R, Nothing>) put<std::remove_cvref_t<R>>(result);
    }
  }

  // What a function that returns nothing has written or, where it had no room for that, changed.
  template <class... S>
  static void put_changed(int rooms, const char *names, const S &...slot) {
    const char *between = "{\"__changed__\":{";
    auto one = [&](const auto &slot) {
      const size_t size = std::strcspn(names, " ");
      if (rooms ? slot.is_room() : slot.is_changed()) {
        if (rooms != 1) {
          kit_put(std::exchange(between, ","));
          kit_put_text(names, size);
          kit_put(":");
        }
        slot.show();
      }
      names += size + 1;
    };
    (one(slot), ...);
    if (rooms != 1) kit_put(*between == ',' ? "}}" : "null");
  }
};

template <class T>
std::unique_ptr<T> constructed(const kit_node *args) {
  std::unique_ptr<T> object;
  auto make = [&](auto &&...a) {
    object = std::make_unique<T>(std::forward<decltype(a)>(a)...);
    return Nothing();
  };
  if (args->kind != KIT_LIST && args->kind != KIT_OBJECT) unfit<T>(args);
  Choice choice(nullptr, args);
  Construct<T>::offers(choice, make);
  choice.settle();
  Construct<T>::offers(choice, make);
  return object;
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

using Offers = void (*)(Choice &choice);

inline void call(Offers offers, const char *method, const kit_node *args) {
  Choice choice(method, args);
  offers(choice);
  choice.settle();
  offers(choice);
}

// Performs the job: one call, or several whose failures are members of the list of results. An
// object is made before the first of them.
inline void perform(Offers offers) {
  const kit_node *job = kit_job(), *init = kit_member(job, "init");
  const bool many = kit_member(job, "many")->kind == KIT_TRUE;
  kit_put("{\"during\":\"call\",\"kind\":\"value\",\"value\":");
  kit_node results{KIT_LIST, nullptr, nullptr, 0, 0, 0, nullptr, nullptr};
  kit_node **tail = &results.first;
  if (many) kit_put("[");
  for (const kit_node *at = kit_member(job, "calls")->first; at; at = at->next) {
    const kit_node *method = kit_item(at, 0);
    if (many && results.count) kit_put(",");
    const size_t mark = kit_mark();
    try {
      if (init->kind == KIT_LIST) call(offers, nullptr, init);
      init = method;
      call(offers, method->kind == KIT_TEXT ? method->text : "", resolved(kit_item(at, 1), &results));
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

inline int run(Offers offers) {
  try {
    perform(offers);
  } catch (const Unfit &reason) {
    kit_unfit(reason.why.c_str());
  } catch (...) {
    send_thrown("exception");
  }
  return 0;
}

}  // namespace kit
