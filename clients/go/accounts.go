package tidemark

import "strings"

const (
	futures = "USDT-FUTURES USDC-FUTURES COIN-FUTURES"
	every   = "SPOT MARGIN " + futures
)

// list is one list of the interface. Categories: "-" says all in one. Field: which says the category. At: where the rows are, "-" says
// that they are the data. Opens: open or ended orders.
type list struct{ what, version, path, categories, field, at, opens string }

var lists = []list{
	{"orders", "v3", "trade/unfilled-orders", "-", "-", "list", "open"},
	{"orders", "v3", "trade/history-orders", every, "category", "list", "ended"},
	{"orders", "v2", "spot/trade/unfilled-orders", "SPOT", "-", "-", "open"},
	{"orders", "v2", "spot/trade/history-orders", "SPOT", "-", "-", "ended"},
	{"orders", "v2", "margin/crossed/open-orders", "MARGIN", "symbol", "orderList", "open"},
	{"orders", "v2", "margin/crossed/history-orders", "MARGIN", "symbol", "orderList", "ended"},
	{"orders", "v2", "mix/order/orders-pending", futures, "productType", "entrustedList", "open"},
	{"orders", "v2", "mix/order/orders-history", futures, "productType", "entrustedList", "ended"},
	{"fills", "v3", "trade/fills", "-", "-", "list", "-"},
	{"fills", "v2", "spot/trade/fills", "SPOT", "-", "-", "-"},
	{"fills", "v2", "margin/crossed/fills", "MARGIN", "symbol", "fills", "-"},
	{"fills", "v2", "mix/order/fills", futures, "productType", "fillList", "-"},
	{"positions", "v3", "position/current-position", futures, "category", "list", "-"},
	{"positions", "v2", "mix/position/all-position", futures, "productType", "-", "-"},
}

// read has the rows of an account as its owner reads them, with the category where the interface leaves it away. Unified roles read v3,
// classic ones v2, and a hybrid account has two of everything.
func (v *Venue) read(what, role string, filter M) ([]M, error) {
	versions := []string{"v2"}
	if role == "hybrid-main" {
		versions = []string{"v3", "v2"}
	} else if strings.HasPrefix(role, "unified-") || role == "read-only" {
		versions = []string{"v3"}
	}
	open, isTold := filter["open"]
	delete(filter, "open")
	rows := []M{}
	for _, version := range versions {
		for _, of := range lists {
			isOther := of.what != what || of.version != version
			isEnded := isTold && of.opens != "-" && open != (of.opens == "open")
			if isOther || isEnded || of.field == "symbol" && filter["symbol"] == nil {
				continue
			}
			found, err := v.list(of, role, filter)
			if err != nil {
				return nil, err
			}
			rows = append(rows, found...)
		}
	}
	return rows, nil
}

// list has the rows of one list that a filter leaves.
func (v *Venue) list(of list, role string, filter M) ([]M, error) {
	rows := []M{}
	for _, category := range strings.Fields(of.categories) {
		if wanted := filter["category"]; wanted != nil && category != "-" && category != wanted {
			continue
		}
		fields := M{}
		if of.field == "symbol" {
			fields["symbol"] = filter["symbol"]
		} else if of.field != "-" {
			fields[of.field] = category
		}
		if of.what != "positions" {
			fields["limit"] = 100
		}
		data, err := v.Request(role, "GET", "/api/"+of.version+"/"+of.path+query(fields))
		if err != nil {
			return nil, err
		}
		if inner, is := data.(M); is && of.at != "-" {
			data = inner[of.at]
		}
		found, _ := data.([]any)
		for _, one := range found {
			row := one.(M)
			if category != "-" {
				row["category"] = category
			}
			if matches(row, filter) {
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

func matches(row, filter M) bool {
	for name, wanted := range filter {
		if row[name] != wanted {
			return false
		}
	}
	return true
}
