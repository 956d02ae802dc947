//! Orders, fills and positions of an account as its owner reads them: rows of the interface, with the category where that leaves it
//! away. Unified roles read v3, classic ones v2.

use crate::{json, Answer, Json, Venue};

const FUTURES: &str = "USDT-FUTURES USDC-FUTURES COIN-FUTURES";
const EVERY: &str = "SPOT MARGIN USDT-FUTURES USDC-FUTURES COIN-FUTURES";
/// What, version, path, its categories (-: all in one), the field that says which, where the rows are (-: they are the data), open or ended.
const LISTS: [[&str; 7]; 14] = [
    ["orders", "v3", "trade/unfilled-orders", "-", "-", "list", "open"],
    ["orders", "v3", "trade/history-orders", EVERY, "category", "list", "ended"],
    ["orders", "v2", "spot/trade/unfilled-orders", "SPOT", "-", "-", "open"],
    ["orders", "v2", "spot/trade/history-orders", "SPOT", "-", "-", "ended"],
    ["orders", "v2", "margin/crossed/open-orders", "MARGIN", "symbol", "orderList", "open"],
    ["orders", "v2", "margin/crossed/history-orders", "MARGIN", "symbol", "orderList", "ended"],
    ["orders", "v2", "mix/order/orders-pending", FUTURES, "productType", "entrustedList", "open"],
    ["orders", "v2", "mix/order/orders-history", FUTURES, "productType", "entrustedList", "ended"],
    ["fills", "v3", "trade/fills", "-", "-", "list", "-"],
    ["fills", "v2", "spot/trade/fills", "SPOT", "-", "-", "-"],
    ["fills", "v2", "margin/crossed/fills", "MARGIN", "symbol", "fills", "-"],
    ["fills", "v2", "mix/order/fills", FUTURES, "productType", "fillList", "-"],
    ["positions", "v3", "position/current-position", FUTURES, "category", "list", "-"],
    ["positions", "v2", "mix/position/all-position", FUTURES, "productType", "-", "-"],
];

pub fn read(venue: &Venue, what: &str, role: &str, filter: &Json) -> Answer<Vec<Json>> {
    // A hybrid account has two of everything.
    let versions = match role {
        "hybrid-main" => "v3 v2",
        _ if role.starts_with("unified-") || role == "read-only" => "v3",
        _ => "v2",
    };
    let mut rows = Vec::new();
    for list in versions.split(' ').flat_map(|version| LISTS.iter().filter(move |list| list[..2] == [what, version])) {
        let &[_, version, path, categories, field, at, opens] = list;
        if filter["open"] == Json::Bool(opens == "ended") && opens != "-" || field == "symbol" && filter["symbol"] == Json::Null {
            continue;
        }
        let limit = Json::from((what != "positions").then_some("100"));
        for category in categories.split(' ') {
            if ![&Json::Null, &category.into()].contains(&&filter["category"]) && category != "-" {
                continue;
            }
            let asked = if field == "symbol" { filter["symbol"].clone() } else { category.into() };
            let fields = if field == "-" { json!({"limit": (&limit)}) } else { json!({field: asked, "limit": (&limit)}) };
            let data = venue.request(role, "GET", &format!("/api/{version}/{path}{}", fields.query()), ())?;
            let found = if at == "-" { &data } else { &data[at] };
            let named = |row: &Json| if category == "-" { row.clone() } else { row.clone().with("category", category.into()) };
            rows.extend(found.list().iter().map(named));
        }
    }
    rows.retain(|row| filter.fields().iter().all(|(name, value)| name == "open" || row[name.as_str()] == *value));
    Ok(rows)
}
