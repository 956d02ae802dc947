import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Places one order and follows it to its end, in Java with its standard library alone (17 or later).
 *
 * <pre>VENUE=http://127.0.0.1:8080 API_KEY=... API_SECRET=... API_PASSPHRASE=... java Plain.java</pre>
 *
 * No answer: the order is sent again under its client order id, since it can exist but once. No socket: a new one is
 * opened, and what was missed is asked for by the client order id. JSON is read by pattern, as the library has no reader.
 */
public class Plain {
  static final String VENUE = System.getenv().getOrDefault("VENUE", "http://127.0.0.1:8080");
  static final String KEY = System.getenv("API_KEY");
  static final String SECRET = System.getenv("API_SECRET");
  static final String PASSPHRASE = System.getenv("API_PASSPHRASE");
  static final String CLIENT_OID = UUID.randomUUID().toString().replace("-", "");
  static final String ORDER = """
      {"category":"USDT-FUTURES","symbol":"BTCUSDT","side":"buy","orderType":"limit","timeInForce":"gtc",\
      "qty":"0.01","price":"59000","clientOid":"%s"}""".formatted(CLIENT_OID);
  /** The second is what v3Dialect `live` says. */
  static final Set<String> DUPLICATE = Set.of("40786", "25212");
  static final HttpClient HTTP = HttpClient.newHttpClient();

  static final CompletableFuture<Void> finished = new CompletableFuture<>();
  static String status = "";

  static class Refused extends RuntimeException {
    final String code;

    Refused(String code, String answer) {
      super(answer);
      this.code = code;
    }
  }

  static String sign(String text) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** The text of a field, wherever it stands first; empty if it is nowhere. */
  static String field(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
    return found.find() ? found.group(1) : "";
  }

  /** One signed request; Refused with the venue's code, or an IOException if there is no answer. */
  static String call(String method, String target, String body) throws Exception {
    String timestamp = String.valueOf(System.currentTimeMillis());
    HttpRequest request = HttpRequest.newBuilder(URI.create(VENUE + target))
        .timeout(Duration.ofSeconds(10))
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
        .header("ACCESS-KEY", KEY)
        .header("ACCESS-SIGN", sign(timestamp + method + target + body))
        .header("ACCESS-TIMESTAMP", timestamp)
        .header("ACCESS-PASSPHRASE", PASSPHRASE)
        .header("Content-Type", "application/json")
        .build();
    String answer = HTTP.send(request, BodyHandlers.ofString()).body();
    String code = field(answer, "code");
    if (!code.equals("00000")) throw new Refused(code, answer);
    return answer;
  }

  /** Places the order once, however often it has to be sent. */
  static void place() throws Exception {
    for (;;) {
      try {
        call("POST", "/api/v3/trade/place-order", ORDER);
        return;
      } catch (Refused refused) {
        if (DUPLICATE.contains(refused.code)) return;
        throw refused;
      } catch (java.io.IOException lost) {
        System.out.println("no answer: sent again");
        Thread.sleep(200);
      }
    }
  }

  /** The objects of a push's `data`, each as its text. No text of them has a brace in it. */
  static List<String> rows(String push) {
    List<String> rows = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int at = Math.max(push.indexOf("\"data\":["), 0) + 8; at < push.length(); at++) {
      if (push.charAt(at) == '{' && depth++ == 0) start = at;
      if (push.charAt(at) == '}' && --depth == 0) rows.add(push.substring(start, at + 1));
    }
    return rows;
  }

  /** What the venue says about the order, by push or by answer; said once for each status. */
  static synchronized void told(String order) {
    if (!field(order, "clientOid").equals(CLIENT_OID) || field(order, "orderStatus").equals(status)) return;
    status = field(order, "orderStatus");
    System.out.println(status + " " + field(order, "cumExecQty") + " of " + field(order, "qty"));
    if (Set.of("filled", "cancelled", "canceled", "rejected").contains(status)) finished.complete(null);
  }

  /** A socket that logs in and follows the account's orders. */
  static class Follower implements WebSocket.Listener {
    final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    final CompletableFuture<Void> ended = new CompletableFuture<>();
    final StringBuilder text = new StringBuilder();

    public void onOpen(WebSocket socket) {
      try {
        String timestamp = String.valueOf(System.currentTimeMillis() / 1000);
        socket.sendText("""
            {"op":"login","args":[{"apiKey":"%s","passphrase":"%s","timestamp":"%s","sign":"%s"}]}"""
            .formatted(KEY, PASSPHRASE, timestamp, sign(timestamp + "GET/user/verify")), true);
      } catch (Exception broken) {
        onError(socket, broken);
      }
      socket.request(1);
    }

    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        hear(socket, text.toString());
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }

    void hear(WebSocket socket, String message) {
      switch (field(message, "event")) {
        case "login" -> socket.sendText("""
            {"op":"subscribe","args":[{"instType":"UTA","topic":"order"}]}""", true);
        case "subscribe" -> subscribed.complete(null);
        case "error" -> onError(socket, new IllegalStateException(message));
        default -> {
          for (String order : rows(message)) told(order);
        }
      }
    }

    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      ended.complete(null);
      subscribed.completeExceptionally(new java.io.IOException("closed"));
      return null;
    }

    public void onError(WebSocket socket, Throwable error) {
      ended.complete(null);
      subscribed.completeExceptionally(error);
    }
  }

  public static void main(String[] args) throws Exception {
    boolean placed = false;
    while (!finished.isDone()) {
      Follower follower = new Follower();
      WebSocket socket;
      try {
        socket = HTTP.newWebSocketBuilder()
            .buildAsync(URI.create(VENUE.replaceFirst("http", "ws") + "/v3/ws/private"), follower).join();
        follower.subscribed.join();
      } catch (CompletionException lost) {
        Thread.sleep(200);
        continue;
      }
      try {
        if (!placed) place();
        placed = true;
        told(call("GET", "/api/v3/trade/order-info?clientOid=" + CLIENT_OID, ""));
        if (!finished.isDone()) System.out.println("following");
        CompletableFuture.anyOf(follower.ended, finished).join();
      } catch (java.io.IOException lost) {
        // No answer: begin again.
      }
      if (!finished.isDone()) System.out.println("connection lost");
      socket.abort();
    }
  }
}
