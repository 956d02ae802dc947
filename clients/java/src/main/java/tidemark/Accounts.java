package tidemark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Orders, fills and positions of an account as its owner reads them: rows of the interface, with the category where that leaves it
 * away. Unified roles read v3, classic ones v2.
 */
final class Accounts {
  private static final String FUTURES = "USDT-FUTURES USDC-FUTURES COIN-FUTURES";
  private static final String EVERY = "SPOT MARGIN " + FUTURES;

  /**
   * One list of the interface. Categories: "-" says all in one. Field: which says the category. At: where the rows are, "-" says that
   * they are the data. Opens: open or ended orders.
   */
  private record Listed(String what, String version, String path, String categories, String field, String at, String opens) {}

  private static final List<Listed> LISTS = List.of(
      new Listed("orders", "v3", "trade/unfilled-orders", "-", "-", "list", "open"),
      new Listed("orders", "v3", "trade/history-orders", EVERY, "category", "list", "ended"),
      new Listed("orders", "v2", "spot/trade/unfilled-orders", "SPOT", "-", "-", "open"),
      new Listed("orders", "v2", "spot/trade/history-orders", "SPOT", "-", "-", "ended"),
      new Listed("orders", "v2", "margin/crossed/open-orders", "MARGIN", "symbol", "orderList", "open"),
      new Listed("orders", "v2", "margin/crossed/history-orders", "MARGIN", "symbol", "orderList", "ended"),
      new Listed("orders", "v2", "mix/order/orders-pending", FUTURES, "productType", "entrustedList", "open"),
      new Listed("orders", "v2", "mix/order/orders-history", FUTURES, "productType", "entrustedList", "ended"),
      new Listed("fills", "v3", "trade/fills", "-", "-", "list", "-"),
      new Listed("fills", "v2", "spot/trade/fills", "SPOT", "-", "-", "-"),
      new Listed("fills", "v2", "margin/crossed/fills", "MARGIN", "symbol", "fills", "-"),
      new Listed("fills", "v2", "mix/order/fills", FUTURES, "productType", "fillList", "-"),
      new Listed("positions", "v3", "position/current-position", FUTURES, "category", "list", "-"),
      new Listed("positions", "v2", "mix/position/all-position", FUTURES, "productType", "-", "-"));

  private Accounts() {}

  static List<Map<String, Object>> read(Venue venue, String what, String role, Map<String, Object> filter) {
    Object open = filter.remove("open");
    boolean isUnified = role.startsWith("unified-") || role.equals("read-only");
    // A hybrid account has two of everything.
    List<String> versions = role.equals("hybrid-main") ? List.of("v3", "v2") : List.of(isUnified ? "v3" : "v2");
    List<Map<String, Object>> rows = new ArrayList<>();
    for (String version : versions) {
      for (Listed list : LISTS) {
        boolean isOther = !list.what().equals(what) || !list.version().equals(version);
        boolean isEnded = open != null && !list.opens().equals("-") && !open.equals(list.opens().equals("open"));
        if (isOther || isEnded || list.field().equals("symbol") && !filter.containsKey("symbol")) continue;
        for (String category : list.categories().split(" ")) {
          if (filter.containsKey("category") && !category.equals("-") && !category.equals(filter.get("category"))) continue;
          Map<String, Object> query = new LinkedHashMap<>();
          if (!list.field().equals("-")) query.put(list.field(), list.field().equals("symbol") ? filter.get("symbol") : category);
          if (!what.equals("positions")) query.put("limit", 100);
          Object data = venue.request(role, "GET", "/api/" + version + "/" + list.path() + Calls.query(query));
          Object found = list.at().equals("-") ? data : data == null ? null : ((Map<?, ?>) data).get(list.at());
          for (Object row : found == null ? List.of() : (List<?>) found) {
            rows.add(category.equals("-") ? Venue.with((Map<?, ?>) row) : Venue.with("category", category, (Map<?, ?>) row));
          }
        }
      }
    }
    rows.removeIf(row -> !filter.entrySet().stream().allMatch(one -> one.getValue().equals(row.get(one.getKey()))));
    return rows;
  }
}
