/** How the page looks: by the reader's light or dark, from 390 pixels on. */
export const style = `
:root{color-scheme:light dark;--paper:#fbfbf9;--ink:#1d2328;--soft:#5d6770;--line:#dfe2e1;--card:#fff;--good:#1d7a4f;--bad:#b3261e;--none:#7a6a2c;--venue:#8a4baf;--told:#1f6fb2;--bot:#24785a;--shade:#b3261e1f}
@media (prefers-color-scheme:dark){:root{--paper:#14181b;--ink:#e6e9ea;--soft:#98a3ab;--line:#2b3338;--card:#1b2125;--good:#5fc795;--bad:#ff8a80;--none:#d6bd6b;--venue:#cf9bee;--told:#84bdf0;--bot:#73d0a9;--shade:#ff8a8026}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.25rem 1rem 4rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header{display:flex;gap:1.25rem;align-items:center;border-bottom:1px solid var(--line);padding-bottom:1rem}
.score{white-space:nowrap;font-size:3rem;line-height:1;font-weight:700;margin:0;font-variant-numeric:tabular-nums}
.score small{font-size:1.25rem;color:var(--soft);font-weight:400}
h1{font-size:1.25rem;margin:0}
h2{font-size:.8rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:1.25rem 0 .4rem;font-weight:600}
.facts{margin:.25rem 0 0;color:var(--soft);font-size:.9rem}
nav{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));column-gap:1.5rem}
nav p{margin:0;display:flex;flex-wrap:wrap;gap:.35rem}
nav a{display:inline-block;padding:.25rem .5rem;border:1px solid var(--line);border-radius:.35rem;text-decoration:none;color:inherit;background:var(--card);font-size:.9rem;font-variant-numeric:tabular-nums}
nav a:focus-visible,summary:focus-visible{outline:2px solid var(--told);outline-offset:2px}
.survived span:first-child,.survived em{color:var(--good)}
nav a.failed{border-color:var(--bad);color:var(--bad);font-weight:600}
.not-reached em,nav a.not-reached{color:var(--none)}
.failed em{color:var(--bad)}
.alarm{border:1px solid var(--bad);border-radius:.5rem;padding:0 1rem;margin-top:1rem}
dl{margin:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:.2rem 1.5rem;font-size:.9rem}
dl div{display:flex;gap:.6rem}dt{font-weight:700;flex:0 0 1rem}dd{margin:0;color:var(--soft)}
main{margin-top:1.5rem}
main>details{background:var(--card);border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:0 .9rem;scroll-margin-top:1rem}
main>details[open]{padding-bottom:.9rem}
main>details.failed{border-left:4px solid var(--bad)}
main>details>summary{padding:.65rem 0;cursor:pointer;display:flex;flex-wrap:wrap;gap:.2rem .7rem;list-style:none}
main>details>summary::-webkit-details-marker{display:none}
summary em{margin-left:auto;font-style:normal;white-space:nowrap}
abbr{font-weight:700;text-decoration:none;border:1px solid currentColor;border-radius:.2rem;padding:0 .3rem;margin-left:.1rem}
.findings{padding:0;margin:.5rem 0;list-style:none}
.findings li{padding:.35rem .6rem;margin:.3rem 0;background:var(--shade);border-radius:.3rem}
.why{color:var(--none)}
figure{margin:.8rem 0}svg{width:100%;height:110px;display:block;background:var(--paper);border:1px solid var(--line);border-radius:.3rem}
figcaption{font-size:.8rem;color:var(--soft);margin-top:.2rem}
polyline{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}
.own{stroke:var(--bot)}.twin{stroke:var(--soft);stroke-dasharray:5 4}.zero{stroke:var(--line);stroke-width:1}.fault{fill:var(--shade)}
.story{font-size:.88rem}
.story ol{list-style:none;margin:0;padding:0}
.story li,.heads{display:grid;grid-template-columns:5.2rem 1fr 1fr 1fr;gap:.75rem;padding:.15rem 0;border-top:1px solid var(--line)}
.heads{margin:0;font-weight:600;border:0;position:sticky;top:0;background:var(--card)}
.story time{color:var(--soft);text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.story .before{opacity:.6}
.venue>span,.heads .venue{color:var(--venue)}.told>span,.heads .told{color:var(--told)}.bot>span,.heads .bot{color:var(--bot)}
.story li.venue>span{grid-column:2}.story li.told>span{grid-column:3}.story li.bot>span{grid-column:4}
.said{margin-top:.8rem;font-size:.85rem}pre{white-space:pre-wrap;margin:.4rem 0;color:var(--soft)}
@media (max-width:44rem){
.story li{grid-template-columns:4.8rem 1fr;gap:.5rem}
.story li.venue>span,.story li.told>span,.story li.bot>span{grid-column:2;padding-left:.5rem;border-left:3px solid currentColor}
.heads{display:flex;flex-wrap:wrap;gap:.2rem .9rem;position:static}.heads span:first-child{display:none}
summary em{margin-left:0;width:100%}}
@media print{main>details{break-inside:avoid}}
`
