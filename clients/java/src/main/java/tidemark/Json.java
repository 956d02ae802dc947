package tidemark;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * JSON as the laboratory speaks it, which the standard library does not read: objects are maps in their order, lists are lists, whole
 * numbers are Long and others Double.
 */
public final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** The value that a text is; IllegalArgumentException says where it is none. */
  public static Object read(String text) {
    Json reader = new Json(text);
    Object value = reader.value();
    if (reader.next() != 0) throw reader.wrong();
    return value;
  }

  public static String write(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream().map(one -> quoted(one.getKey()) + ":" + write(one.getValue())).collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof Collection<?> list) return list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
    return value == null || value instanceof Boolean || value instanceof Number ? String.valueOf(value) : quoted(value);
  }

  private static String quoted(Object value) {
    StringBuilder out = new StringBuilder("\"");
    for (char one : value.toString().toCharArray()) {
      if (one == '"' || one == '\\') out.append('\\');
      out.append(one < ' ' ? "\\u%04x".formatted((int) one) : String.valueOf(one));
    }
    return out.append('"').toString();
  }

  private Object value() {
    return switch (next()) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> string();
      default -> word();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> found = new LinkedHashMap<>();
    for (at++; next() != '}'; ) {
      if (!found.isEmpty()) take(',');
      next();
      String name = string();
      take(':');
      found.put(name, value());
    }
    at++;
    return found;
  }

  private List<Object> list() {
    List<Object> found = new ArrayList<>();
    for (at++; next() != ']'; ) {
      if (!found.isEmpty()) take(',');
      found.add(value());
    }
    at++;
    return found;
  }

  private String string() {
    StringBuilder found = new StringBuilder();
    take('"');
    while (at < text.length() && text.charAt(at) != '"') {
      char one = text.charAt(at++);
      found.append(one == '\\' ? escaped() : one);
    }
    if (at++ >= text.length()) throw wrong();
    return found.toString();
  }

  private char escaped() {
    if (at >= text.length()) throw wrong();
    char one = text.charAt(at++);
    if (one == 'u') {
      String digits = text.substring(at, Math.min(at + 4, text.length()));
      if (!digits.matches("[0-9a-fA-F]{4}")) throw wrong();
      at += 4;
      return (char) Integer.parseInt(digits, 16);
    }
    int plain = "ntrbf".indexOf(one);
    return plain < 0 ? one : "\n\t\r\b\f".charAt(plain);
  }

  private Object word() {
    int from = at;
    while (at < text.length() && "+-.".indexOf(text.charAt(at)) >= 0 || at < text.length() && Character.isLetterOrDigit(text.charAt(at))) at++;
    String word = text.substring(from, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> number(word);
    };
  }

  private Object number(String word) {
    try {
      if (word.matches("-?[0-9]{1,18}")) return Long.valueOf(word);
      if (word.matches("-?[0-9].*")) return Double.valueOf(word);
    } catch (NumberFormatException notOne) {
      // Says where, below.
    }
    throw wrong();
  }

  /** The next character that is no space, which stays; 0 at the end. */
  private char next() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    return at < text.length() ? text.charAt(at) : 0;
  }

  private void take(char wanted) {
    if (next() != wanted) throw wrong();
    at++;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("no JSON at " + at);
  }
}
