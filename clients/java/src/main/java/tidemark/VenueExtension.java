package tidemark;

import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit 5: each test that takes a Venue gets a fork of its own, thrown away afterwards. It is made of one venue for all classes with
 * the same options.
 *
 * <pre>
 * {@literal @}RegisterExtension static final VenueExtension VENUES = new VenueExtension(Map.of("deterministic", true));
 * </pre>
 */
public final class VenueExtension implements ParameterResolver {
  private static final Namespace HERE = Namespace.create(VenueExtension.class);
  private final Map<?, ?> options;

  /** With the options of a venue unless told; for {@literal @}ExtendWith. */
  public VenueExtension() {
    this(Map.of());
  }

  public VenueExtension(Map<?, ?> options) {
    this.options = options;
  }

  /** Stops with what it is kept in. */
  private record Kept(Venue venue) implements CloseableResource {
    @Override
    public void close() {
      venue.stop();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Venue.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    Kept session = test.getRoot().getStore(HERE).getOrComputeIfAbsent(options, of -> new Kept(Venue.start(options)), Kept.class);
    return test.getStore(HERE).getOrComputeIfAbsent("fork", of -> new Kept(session.venue().fork()), Kept.class).venue();
  }
}
