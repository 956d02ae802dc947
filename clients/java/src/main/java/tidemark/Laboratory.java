package tidemark;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The laboratory's process, started on first use and shared by all venues of this virtual machine with the same settings. */
final class Laboratory {
  private static final List<String> FLAGS = List.of("dev", "--port=0", "--simulator=off", "--ends-with-clients", "--venues-max=512");
  private static final long START_MS_MAX = 60_000;
  private static final Map<List<Boolean>, Held> HELD = new HashMap<>();

  /** The process ends with the last answer that is held. */
  private record Held(Calls calls, InputStream attached) {}

  private Laboratory() {}

  static synchronized Calls shared(boolean isDeterministic, boolean isLimited) {
    return HELD.computeIfAbsent(List.of(isDeterministic, isLimited), settings -> {
      List<String> command = words(System.getenv().getOrDefault("TIDEMARK_BIN", isWindows() ? "npx.cmd tidemark" : "npx tidemark"));
      command.addAll(FLAGS);
      if (isDeterministic) command.add("--deterministic");
      if (!isLimited) command.add("--no-rate-limits");
      Calls calls = new Calls(begin(command), null);
      return new Held(calls, calls.attach());
    }).calls();
  }

  static void pause(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  /** Where it is ready. Settings of a venue in this process are not those of the laboratory. */
  private static String begin(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("TIDEMARK_"));
    try {
      Path log = Files.createTempFile("tidemark-java-", ".log");
      Process child = builder.redirectOutput(log.toFile()).start();
      child.getOutputStream().close();
      long until = System.nanoTime() + START_MS_MAX * 1_000_000;
      for (;;) {
        boolean isOver = !child.isAlive() || System.nanoTime() > until;
        String said = Files.readString(log);
        var ready = Pattern.compile("^ready (\\S+)$", Pattern.MULTILINE).matcher(said);
        boolean isReady = ready.find();
        if (isReady || isOver) log.toFile().delete();
        if (isReady) return ready.group(1);
        if (isOver) {
          child.destroyForcibly();
          throw noStart(command, said.strip(), null);
        }
        pause(15);
      }
    } catch (IOException cause) {
      throw noStart(command, cause.getMessage(), cause);
    }
  }

  private static LabError noStart(List<String> command, String why, Exception cause) {
    LabError error = new LabError(0, Map.of("code", "no-start", "message", command.get(0) + " does not start: " + why));
    error.initCause(cause);
    return error;
  }

  /** A command as a shell takes it apart, with quotes of both kinds. */
  private static List<String> words(String command) {
    List<String> words = new ArrayList<>();
    var found = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|\\S)+").matcher(command);
    while (found.find()) words.add(found.group().replaceAll("'([^']*)'|\"([^\"]*)\"", "$1$2"));
    return words;
  }

  private static boolean isWindows() {
    return System.getProperty("os.name").startsWith("Windows");
  }
}
