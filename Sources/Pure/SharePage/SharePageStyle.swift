/// How the page of a share looks, on a phone and a desktop, in light and in dark.
extension SharePage {
    /// The one style of the page. A policy that allows it alone names its hash.
    package static let style = """
        :root{color-scheme:light dark;--ground:#ffffff;--ink:#1f2328;--quiet:#59636e;--grid:#e4e8ec;\
        --first:#0969da;--second:#d4a72c;--third:#a03a86;--good:#1a7f37;--fair:#9a6700;--poor:#cf222e}
        @media (prefers-color-scheme:dark){:root{--ground:#0d1117;--ink:#e6edf3;--quiet:#9198a1;\
        --grid:#262c36;--first:#58a6ff;--second:#e3b341;--third:#e085c6;--good:#3fb950;\
        --fair:#d29922;--poor:#ff7b72}}
        *{box-sizing:border-box;margin:0}
        body{background:var(--ground);color:var(--ink);border-top:6px solid var(--first);\
        font:1.0625rem/1.5 system-ui,sans-serif;padding:2rem 1.25rem}
        main{max-width:40rem;margin:0 auto}
        header{display:flex;gap:1.5rem;justify-content:space-between;align-items:flex-start}
        header>div{min-width:0}
        h1{font-size:1.75rem;line-height:1.25;overflow-wrap:anywhere;margin-bottom:1rem}
        .quiet,footer,dt{color:var(--quiet)}
        .score{flex:none;width:7.5rem;height:7.5rem;border:.35rem solid;border-radius:50%;\
        display:flex;flex-direction:column;align-items:center;justify-content:center;\
        text-align:center;line-height:1.1}
        .score strong{font-size:1.75rem}
        .score span{color:var(--quiet);font-size:.75rem;max-width:6rem;overflow-wrap:anywhere}
        .green{color:var(--good)}.yellow{color:var(--fair)}.red{color:var(--poor)}
        .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);\
        white-space:nowrap}
        .energy{font-size:1.25rem;margin:.5rem 0 1rem}
        .energy strong{font-size:3rem;line-height:1.1}
        svg{display:block;width:100%;height:.6rem;border-radius:.3rem;margin-bottom:1rem}
        rect.protein{fill:var(--first)}rect.carbs{fill:var(--second)}rect.fat{fill:var(--third)}
        dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:1rem;\
        margin-bottom:2rem}
        dl>div{border-top:.25rem solid var(--grid);padding-top:.4rem}
        div.protein{border-color:var(--first)}div.carbs{border-color:var(--second)}\
        div.fat{border-color:var(--third)}
        dd{font-size:1.25rem;font-weight:600}
        small{font-size:.8em;font-weight:400}
        table{width:100%;border-collapse:collapse;margin-bottom:2rem}
        caption{text-align:start;font-weight:600;padding-bottom:.25rem}
        tr{border-top:1px solid var(--grid)}
        th{font-weight:400;text-align:start;overflow-wrap:anywhere}
        th,td{padding:.45rem 0}
        td{text-align:end;white-space:nowrap;padding-inline-start:1rem;\
        font-variant-numeric:tabular-nums}
        footer{font-size:.9375rem}
        footer p+p{margin-top:.4rem}
        a{color:var(--first)}
        main>p{margin-bottom:1rem}
        @media print{body{border:0;padding:0}}
        """
}
