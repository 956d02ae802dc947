package tidemark;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Calls to a venue over java.net.http: those of its laboratory, and signed ones of its interface. */
record Calls(String url, String token) {
  /** By HTTP/1.1 alone: where this library asks for an upgrade, a venue would expect a socket. */
  private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** A call below /_lab; answers its data. */
  <T> T lab(String method, String path, Map<?, ?> body) {
    String[] headers = token == null || token.isEmpty() ? new String[0] : new String[] {"Authorization", "Bearer " + token};
    HttpResponse<String> answer = send(method, "/_lab" + path, body == null ? "" : Json.write(body), headers);
    if (read(answer.body()) instanceof Map<?, ?> envelope) {
      if (Boolean.TRUE.equals(envelope.get("ok"))) return as(envelope.get("data"));
      if (envelope.get("error") instanceof Map<?, ?> error) throw new LabError(answer.statusCode(), error);
    }
    List<Object> lines = answer.body().lines().map(Calls::read).collect(Collectors.toCollection(ArrayList::new));
    if (answer.statusCode() == 200 && !lines.contains(null)) return as(lines);
    if (answer.statusCode() != 404) throw answerWrong(method, "/_lab" + path, answer);
    throw new LabError(404, Map.of("code", "no-laboratory", "message", url + " has no laboratory: start it with tidemark dev"));
  }

  /** A signed call of the interface; answers its data. */
  <T> T signed(Map<?, ?> key, String method, String target, String body) {
    String timestamp = String.valueOf(System.currentTimeMillis());
    String sign = sign((String) key.get("secret"), timestamp + method + target + body);
    HttpResponse<String> answer = send(method, target, body,
        "ACCESS-KEY", (String) key.get("apiKey"), "ACCESS-PASSPHRASE", (String) key.get("passphrase"),
        "ACCESS-TIMESTAMP", timestamp, "ACCESS-SIGN", sign);
    if (!(read(answer.body()) instanceof Map<?, ?> envelope) || !(envelope.get("code") instanceof String code)) {
      throw answerWrong(method, target, answer);
    }
    if (code.equals("00000")) return as(envelope.get("data"));
    String message = method + " " + target + ": " + code + " " + envelope.get("msg");
    throw new LabError(answer.statusCode(), Map.of("code", code, "message", message));
  }

  /** Holds the laboratory until the answer is closed, which has no end. */
  InputStream attach() {
    return exchange("GET", "/_lab/attached", "", BodyHandlers.ofInputStream()).body();
  }

  /** {@code ?name=value&...} */
  static String query(Map<?, ?> fields) {
    return fields.entrySet().stream()
        .map(one -> one.getKey() + "=" + URLEncoder.encode(String.valueOf(one.getValue()), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&", fields.isEmpty() ? "" : "?", ""));
  }

  private HttpResponse<String> send(String method, String target, String body, String... headers) {
    return exchange(method, target, body, BodyHandlers.ofString(), headers);
  }

  private <T> HttpResponse<T> exchange(String method, String target, String body, BodyHandler<T> reader, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + target))
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (!body.isEmpty()) request.header("Content-Type", "application/json");
    if (headers.length > 0) request.headers(headers);
    try {
      return HTTP.send(request.build(), reader);
    } catch (IOException lost) {
      throw unreachable(lost);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      throw unreachable(ended);
    }
  }

  private LabError unreachable(Exception cause) {
    LabError error = new LabError(0, Map.of("code", "unreachable", "message", "there is no answer from " + url));
    error.initCause(cause);
    return error;
  }

  private static LabError answerWrong(String method, String target, HttpResponse<String> answer) {
    String text = answer.body().substring(0, Math.min(200, answer.body().length()));
    String message = method + " " + target + " was answered " + answer.statusCode() + ": " + text;
    return new LabError(answer.statusCode(), Map.of("code", "answer-wrong", "message", message));
  }

  /** Null: it is no JSON. */
  private static Object read(String text) {
    try {
      return Json.read(text);
    } catch (IllegalArgumentException none) {
      return null;
    }
  }

  /** What the caller says that it is. */
  @SuppressWarnings("unchecked")
  private static <T> T as(Object data) {
    return (T) data;
  }

  private static String sign(String secret, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException every) {
      throw new AssertionError("every Java has HmacSHA256", every);
    }
  }
}
