package tidemark;

import java.util.Map;

/** What a venue or its laboratory refused, or why it could not be asked. */
public final class LabError extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int status;
  private final transient Map<?, ?> facts;

  LabError(int status, Map<?, ?> facts) {
    super(facts.get("code") + ": " + facts.get("message"));
    this.status = status;
    this.facts = facts;
  }

  /** Of the answer; 0: there was none. */
  public int status() {
    return status;
  }

  /** Such as {@code unknown-snapshot}, or the code of the interface. */
  public String code() {
    return String.valueOf(facts.get("code"));
  }

  /** Which field of the call is wrong; null: none. */
  public String field() {
    return (String) facts.get("field");
  }

  /** All that the error said: {@code until-not-reached} says {@code now}. */
  public Map<?, ?> facts() {
    return facts;
  }
}
