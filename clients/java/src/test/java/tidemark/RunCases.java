package tidemark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the shared cases (clients/cases.json) through Venue: a line for each, and exit code 1 if one fails. Methods are found by their
 * names, which are those of TypeScript. With "echo" it reads lines of JSON from standard input and writes them again.
 */
public final class RunCases {
  private RunCases() {}

  public static void main(String[] args) throws IOException {
    if (args.length > 0 && args[0].equals("echo")) {
      PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines().forEach(line -> out.println(echo(line)));
      return;
    }
    int failed = 0;
    Map<?, ?> file = (Map<?, ?>) Json.read(Files.readString(Path.of(args.length > 0 ? args[0] : "../cases.json")));
    for (Object one : (List<?>) file.get("cases")) {
      Map<?, ?> given = (Map<?, ?>) one;
      try {
        run(given);
        System.out.println("ok " + given.get("name"));
      } catch (RuntimeException | AssertionError | ReflectiveOperationException error) {
        failed = 1;
        System.out.println("failed " + given.get("name"));
        error.printStackTrace();
      }
    }
    System.exit(failed);
  }

  private static String echo(String line) {
    try {
      return Json.write(Json.read(line));
    } catch (IllegalArgumentException wrong) {
      return wrong.getMessage();
    }
  }

  private static void run(Map<?, ?> given) throws ReflectiveOperationException {
    Map<String, Object> known = new HashMap<>();
    try {
      known.put("venue", Venue.start((Map<?, ?>) given.get("options")));
      for (Object step : (List<?>) given.get("steps")) take((Map<?, ?>) step, known);
    } finally {
      for (Object thing : known.values()) if (thing instanceof Venue venue) venue.stop();
    }
  }

  private static void take(Map<?, ?> step, Map<String, Object> known) throws ReflectiveOperationException {
    String call = (String) step.get("call");
    Object target = known.get(step.containsKey("of") ? step.get("of") : "venue");
    Map<?, ?> fails = (Map<?, ?>) step.get("fails");
    Object answer;
    try {
      answer = attempt(target, call, step, known);
    } catch (InvocationTargetException thrown) {
      if (!(thrown.getCause() instanceof LabError error)) throw thrown;
      if (fails == null) throw error;
      Map<String, Object> facts = new HashMap<>(Map.of("status", error.status(), "code", error.code(), "message", error.getMessage()));
      facts.put("field", error.field());
      check(facts, fails, call);
      return;
    }
    verify(fails == null, call + ": nothing was refused");
    if (step.containsKey("gives")) check(answer, meant(step.get("gives"), known), call);
    if (step.get("count") instanceof Long count) verify(((List<?>) answer).size() == count, call + ": " + answer);
    if (step.get("as") instanceof String name) known.put(name, answer);
  }

  private static Object attempt(Object target, String call, Map<?, ?> step, Map<String, Object> known) throws ReflectiveOperationException {
    List<Object> given = new ArrayList<>();
    if (step.get("with") instanceof List<?> with) given.addAll((List<?>) meant(with, known));
    if (step.containsKey("options")) given.add(meant(step.get("options"), known));
    String[] words = call.split("\\.");
    for (String word : Arrays.copyOf(words, words.length - 1)) target = method(target, word, List.of()).invoke(target);
    Method method = method(target, words[words.length - 1], given);
    return method.invoke(target, arguments(method, given));
  }

  /** The one that takes so many arguments of these kinds. */
  private static Method method(Object target, String name, List<?> given) {
    for (Method method : target.getClass().getMethods()) {
      if (method.getName().equals(name) && arguments(method, given) != null) return method;
    }
    throw new AssertionError("%s has no method %s for %s".formatted(target.getClass().getSimpleName(), name, given));
  }

  /** As they are handed over, the last ones in an array where it takes any number; null: it takes others. */
  private static Object[] arguments(Method method, List<?> given) {
    Class<?>[] types = method.getParameterTypes();
    int plain = method.isVarArgs() ? types.length - 1 : types.length;
    if (given.size() < plain || !method.isVarArgs() && given.size() > plain) return null;
    Object[] all = Arrays.copyOf(given.toArray(), types.length);
    for (int at = 0; at < plain; at++) if (!types[at].isInstance(all[at])) return null;
    if (method.isVarArgs()) {
      Class<?> type = types[plain].getComponentType();
      List<?> rest = given.subList(plain, given.size());
      if (!rest.stream().allMatch(type::isInstance)) return null;
      all[plain] = rest.toArray((Object[]) Array.newInstance(type, 0));
    }
    return all;
  }

  /** The value with each {"$": "name.field"} replaced by what is known. */
  private static Object meant(Object value, Map<String, Object> known) {
    if (value instanceof List<?> list) return list.stream().map(part -> meant(part, known)).toList();
    if (!(value instanceof Map<?, ?> map)) return value;
    if (map.get("$") instanceof String path) {
      String[] words = path.split("\\.");
      Object found = known.get(words[0]);
      for (String word : Arrays.copyOfRange(words, 1, words.length)) {
        found = found instanceof List<?> list ? list.get(Integer.parseInt(word)) : ((Map<?, ?>) found).get(word);
      }
      return found;
    }
    Map<String, Object> all = new LinkedHashMap<>();
    map.forEach((name, part) -> all.put((String) name, meant(part, known)));
    return all;
  }

  /** Each field that is wanted is there; lists are as long. */
  private static void check(Object given, Object wanted, String at) {
    if (wanted instanceof Map<?, ?> map) {
      map.forEach((name, part) -> {
        verify(given instanceof Map<?, ?> found && found.containsKey(name), at + " has no " + name + ": " + given);
        check(((Map<?, ?>) given).get(name), part, at + "." + name);
      });
    } else if (wanted instanceof List<?> list) {
      verify(given instanceof List<?> found && found.size() == list.size(), at + ": " + given + " is not as long as " + list);
      for (int index = 0; index < list.size(); index++) check(((List<?>) given).get(index), list.get(index), at + "[" + index + "]");
    } else if (wanted instanceof Number) {
      verify(given instanceof Number && decimal(given).compareTo(decimal(wanted)) == 0, at + ": " + given + ", not " + wanted);
    } else {
      verify(wanted == null ? given == null : wanted.equals(given), at + ": " + given + ", not " + wanted);
    }
  }

  private static BigDecimal decimal(Object number) {
    return new BigDecimal(number.toString());
  }

  private static void verify(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }
}
