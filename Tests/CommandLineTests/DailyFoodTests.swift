import Foundation
import Macrolog
import MacrologSQLite
import Testing

/// Goal: foods, amounts and recipes are used as they are typed, and nothing else changes.
/// Method: the real program, with its own log in each test.
@Suite struct DailyFoodTests: TypingSuite {
    let computer: Computer

    init() throws { computer = try Computer() }

    // MARK: Amounts and foods

    /// The id of the item of a meal that a line adds.
    private func item(_ line: String) throws -> String {
        let items = try #require(try json(line)["items"] as? [NSDictionary])
        return try #require(items.first?["id"] as? String)
    }

    /// What the program prints, which must refuse.
    private func refuse(_ line: String) throws -> String {
        let result = try computer.run(Transcript.words("macrolog " + line), together: true)
        #expect(result.status == 64, "\(line): \(result.output)")
        return result.output
    }

    @Test func `a barcode that a food no longer has is free for another product`() throws {
        let (old, new) = ("4006381333931", "7612345678900")
        try type(
            "food add 'Protein bar' --barcode \(old) --kcal 380 --p 30 --serving-size 60g")
        try type("food edit 'Protein bar' --barcode \(new)")
        try type("food add 'Orange juice' --per 100ml --barcode \(old) --kcal 45 --c 10")
        #expect(try type("food barcode \(new)").contains("Protein bar"))
        let juice = try type("food barcode \(old)")
        #expect(juice.contains("Orange juice") && !juice.contains("60 g"), "\(juice)")
        #expect(try type("food show 'Protein bar'").contains("380"))
        // A food with the barcode is changed, whichever id it has.
        try type("food add 'Protein bar, new' --barcode \(new) --kcal 390")
        try type("food add 'Orange juice, fresh' --per 100ml --barcode \(old) --kcal 46")
        let list = try #require(
            try JSONSerialization.jsonObject(
                with: Data(try type("food search --limit 100 --json").utf8)) as? [NSDictionary])
        #expect(
            Set(list.compactMap { $0["name"] as? String })
                == ["Protein bar, new", "Orange juice, fresh"])
    }

    @Test func `a food does not take the barcode of another one`() throws {
        try type("food add Oats --barcode 4006381333931 --kcal 372")
        try type("food add Rye --kcal 320")
        let refusal = try refuse("food edit Rye --barcode 4006381333931")
        #expect(refusal.contains("is the barcode of Oats"), "\(refusal)")
        #expect(try type("food barcode 4006381333931").contains("Oats"))
        try type("food edit Oats --barcode 4006381333931 --kcal 370")
        // An archived food gives way.
        try type("food edit Oats --archive")
        try type("food edit Rye --barcode 4006381333931")
        #expect(try type("food barcode 4006381333931").contains("Rye"))
    }

    @Test func `a measure keeps its words, and every option finds it by them`() throws {
        try type("food add Bread --kcal 250 --serving-size '1 Large slice=40g'")
        #expect(try type("food show Bread").contains("1 Large slice (40 g)"))
        try type("food portion add Bread 'thin slice' 20g")
        for option in ["--amount", "--serving"] {
            for (words, kcal) in [
                ("2 large slices", "200 kcal"), ("2 largeslice", "200 kcal"),
                ("2 thin slices", "100 kcal"),
            ] {
                let added = try type("add Bread \(option) '\(words)'")
                #expect(added.contains(kcal), "\(option) \(words): \(added)")
            }
        }
        let refusal = try refuse("add Bread --serving '2 loaves'")
        #expect(refusal.contains("Type 'thin slice', 'Large slice', serving or g"), "\(refusal)")
    }

    @Test func `a recipe shows every nutrient of its ingredients, and of how many it is known`()
        throws
    {
        try type("food add Salt --kcal 0 --nutrient sodium=39g")
        try type("food add Rice --kcal 350")
        try type("recipe add Pilaf --serves 2")
        try type("recipe add-item Pilaf Salt --grams 10")
        try type("recipe add-item Pilaf Rice --grams 200")
        let shown = try type("recipe show Pilaf")
        #expect(shown.contains("\nSodium              1,950 mg  (1 of 2)\n"), "\(shown)")
    }

    @Test func `the net carbs of a recipe are counted as its foods say`() throws {
        try type("food add Chia --kcal 486 --c 8 --fiber 34 --carb-basis available")
        try type("food add Flour --kcal 364 --c 76 --fiber 3 --carb-basis total")
        try type("food add Oil --kcal 884 --f 100 --c 0 --fiber 0")
        try type("recipe add Pudding --serves 1")
        for food in ["Chia", "Oil"] { try type("recipe add-item Pudding \(food) --grams 100") }
        func net() throws -> Substring? {
            let meal = try #require(try json("add Pudding --recipe")["id"] as? String)
            return try type("meal show \(meal)").firstMatch(of: /Net carbs +(.*)/)?.1
        }
        #expect(try net() == "8.0 g")
        // How much of the fibre is counted in is not known of both together: 8 g and 84 g at most.
        try type("recipe add-item Pudding Flour --grams 100")
        #expect(try net() == nil)
        try type("diet set keto")
        #expect(try type("day show").contains("net at most 92.0 g"))
    }

    @Test func `what an empty recipe proposes can be typed`() throws {
        try type("recipe add \"Gran's pie\" --serves 2")
        let shown = try type("recipe show \"Gran's pie\"")
        #expect(shown.contains(#"recipe add-item 'Gran'\''s pie' Beans --grams 400"#), "\(shown)")
        #expect(!shown.contains("0 kg"), "\(shown)")
    }

    @Test func `of two foods that letter case tells apart, the one that is typed is meant`() throws
    {
        try type("food add Oats --kcal 372")
        try type("food add oats --kcal 350")
        let meal = try #require(try json("add Breakfast --kcal 1")["id"] as? String)
        #expect(try type("item add \(meal) oats --grams 100").contains("350 kcal"))
        #expect(try type("item add \(meal) Oats --grams 100").contains("372 kcal"))
        #expect(try refuse("item add \(meal) OATS --grams 100").contains("or its id"))
        try type("recipe add Porridge --serves 1")
        try type("recipe add-item Porridge Oats --grams 50")
        #expect(try type("recipe show Porridge").contains("186 kcal"))
    }

    @Test
    func `a part of a meal or a recipe is named by the id of its food, or is said to be unknown`()
        throws
    {
        // Ids end with random digits: one without a decimal digit is no id here.
        var id: String
        repeat {
            let food = try json("food add Oats --kcal 372 --serving-size 50g")
            id = String(try #require(food["id"] as? String).suffix(8))
            if !id.contains(where: \.isNumber) { try type("food delete \(id)") }
        } while !id.contains(where: \.isNumber)
        let meal = try #require(try json("add Breakfast --kcal 1")["id"] as? String)
        #expect(try type("item add \(meal) \(id) --grams 100").contains("Oats, 100 g, 372 kcal"))
        #expect(try type("item add \(meal) \(id)").contains("Oats"))
        try type("recipe add Porridge --serves 1")
        try type("recipe add-item Porridge \(id) --grams 50")
        #expect(try type("recipe show Porridge").contains("186 kcal"))
        let unknown = try type("item add \(meal) Caviar --grams 20")
        #expect(unknown.contains("no food is called \"Caviar\""), "\(unknown)")
        #expect(!(try type("item add \(meal) Salmon --grams 20 --kcal 40").contains("no food")))
    }

    @Test func `a name has no white space at its ends, and shares have decimals`() throws {
        try type("food add ' Oats ' --kcal 372")
        #expect(try json("food show Oats")["name"] as? String == "Oats")
        let goal = try type("goal set --kcal 2000 --shares 33.3/33.3/33.4")
        #expect(goal.contains("166.5 g") && goal.contains("74.2 g"), "\(goal)")
        #expect(try refuse("goal set --shares 33.3/33.3/30").contains("sum to 100"))
    }

    @Test func `an amount of 0 is refused, because nothing could be scaled from it`() throws {
        try type("food add Bread --kcal 240")
        let bread = try item("add Bread --grams 50")
        for line in [
            "item edit \(bread) --grams 0", "item edit \(bread) --serving 0", "add Bread --grams 0",
            "item edit \(bread) --amount '0 g'",
        ] {
            #expect(try refuse(line).contains("must be more than 0"), "\(line)")
        }
        #expect(try type("item edit \(bread) --grams 100").contains("240 kcal"))
    }

    @Test func `of two measures that letter case tells apart, the one that is typed is meant`()
        throws
    {
        try type("food add Bread --kcal 240")
        try type("food portion add Bread Slice 30g")
        try type("food portion add Bread slice 40g")
        #expect(try type("add --food Bread --amount '1 slice'").contains("96 kcal"))
        #expect(try type("add --food Bread --amount '2 Slice'").contains("144 kcal"))
        #expect(try refuse("add --food Bread --amount '1 SLICE'").contains("ambiguous"))
        try type("food portion delete Bread slice")
        let left = try type("food portion list Bread")
        #expect(left.contains("30 g") && !left.contains("40 g"), "\(left)")
    }

    @Test func `a corrected amount has its nutrients, in any unit of food or recipe`() throws {
        try type("food add Bread --kcal 240 --serving-size '1 slice=28g'")
        try type("food portion add Bread roll 60g")
        try type("food add Milk --kcal 64 --per 100ml --serving-size 250ml")
        try type("recipe add Chili --serves 4 --cooked-mass 1.2kg")
        try type("recipe add-item Chili Beans --grams 800 --kcal 960")
        let bread = try item("add Bread --grams 50")
        let milk = try item("add Milk --grams 250ml")
        let chili = try item("add Chili --recipe --serving 2")
        for (words, changed) in [
            ("\(bread) --amount '2 slices'", "2 slice (56 g), 134 kcal"),
            ("\(bread) --amount '1 roll'", "1 roll (60 g), 144 kcal"),
            ("\(bread) --grams 100", "100 g, 240 kcal"), ("\(bread) --kcal 300", "300 kcal"),
            ("\(bread) --amount '1 roll'", "180 kcal"), ("\(milk) --serving 2", "500 ml, 320 kcal"),
            ("\(chili) --grams 300", "300 g, 240 kcal"),
        ] {
            let answer = try type("item edit \(words)")
            #expect(answer.contains(changed), "\(words): \(answer)")
        }
    }

    @Test func `an amount that nothing converts is refused without nutrients`() throws {
        try type("food add Bread --kcal 240 --serving-size '1 slice=28g'")
        let bread = try item("add Bread --serving 1")
        let cup = try refuse("item edit \(bread) --amount '1 cup'")
        #expect(cup.contains("slice") && cup.contains("--kcal 240"), "\(cup)")
        let meal = try #require(try json("add Tea --kcal 1")["id"] as? String)
        let honey = try #require(
            try json("item add \(meal) Honey --kcal 64 --grams 20")["id"] as? String)
        let spoon = try refuse("item edit \(honey) --amount '1 spoon'")
        #expect(spoon.contains("for 20 g") && spoon.contains("--kcal 240"), "\(spoon)")
        #expect(try type("item edit \(honey) --grams 20").contains("Nothing changed."))
        let typed = try type("item edit \(honey) --amount '1 spoon' --kcal 30")
        #expect(typed.contains("1 spoon, 30 kcal"), "\(typed)")
    }

    @Test func `a measure of a food per 100 ml needs the weight of a volume`() throws {
        try type("food add Milk --kcal 64 --per 100ml")
        for size in ["240g", "250ml"] {
            let refusal = try refuse("food portion add Milk cup \(size)")
            #expect(refusal.contains("--grams 250ml where you log it"), "\(refusal)")
            #expect(refusal.contains("macrolog food edit Milk --serving-size"), "\(refusal)")
        }
        let list = try type("food portion list Milk")
        #expect(list.contains("food edit Milk") && !list.contains("90g"), "\(list)")
        let unknown = try refuse("add Milk --amount '1 cup'")
        #expect(unknown.contains("Type ml, us_cup or metric_cup."), "\(unknown)")
        #expect(try type("add Milk --amount '1 metric_cup'").contains("160 kcal"))
        try type("food edit Milk --serving-size 250ml=258g")
        try type("food portion add Milk cup 240g")
        #expect(try type("add Milk --amount '1 cup'").contains("149 kcal"))
    }

    @Test func `a food without an amount is one serving, then the amount of the last time`() throws
    {
        try type("food add Coffee --kcal 2 --per 100ml --serving-size 200ml")
        try type("food add Oats --kcal 372")
        let first = try type("add Coffee")
        #expect(first.contains("One serving: 200 ml.") && first.contains("4 kcal"), "\(first)")
        #expect(try type("add Coffee").contains("The amount of the last time: 200 ml."))
        #expect(try refuse("add Oats").contains("NAME names a food that has no serving"))
        #expect(try type("add Cofee").contains("macrolog food search finds Coffee"))
        #expect(try !type("add Pizza").contains("warning"))
    }

    @Test func `a second food of one name is stored with a warning that names both`() throws {
        #expect(try !type("food add Oats --kcal 372").contains("warning"))
        let second = try type("food add oats --kcal 360")
        let ids = try #require(
            second.firstMatch(of: /food edit ([0-9a-f]+) changes it, and add --food ([0-9a-f]+)/))
        #expect(try type("add --food \(ids.2) --grams 100").contains("360 kcal"))
        #expect(try type("food edit \(ids.1) --kcal 380").contains("Changed Oats, 380 kcal"))
        #expect(try refuse("add OATS").contains("matches 2 foods"))
    }

    // MARK: Foods and recipes

    @Test func `an item of another amount follows its food, and one with typed nutrients does not`()
        throws
    {
        try type("food add Bar --kcal 100")
        let meal = try json("add Bar --grams 100")
        let item = try #require((meal["items"] as? [NSDictionary])?.first?["id"] as? String)
        try type("item edit \(item) --grams 200")
        try type("food edit Bar --kcal 150")
        #expect(try type("food apply-to-history Bar --from today").contains("Changed 1 item"))
        #expect(try type("day show").contains("300"))
        try type("item edit \(item) --kcal 7")
        try type("food edit Bar --kcal 160")
        #expect(try type("food apply-to-history Bar --from today").contains("Changed 0 items"))
    }

    @Test func `a meal of a recipe whose food was deleted says so`() throws {
        try type("food add Lentils --kcal 130")
        try type("recipe add Dal --serves 2")
        try type("recipe add-item Dal Lentils --grams 400")
        #expect(try !type("recipe log Dal").contains("unknown"))
        try type("food delete Lentils")
        #expect(try type("recipe log Dal").contains("was deleted: its nutrients are unknown"))
        #expect(try type("add Dal --recipe").contains("was deleted: its nutrients are unknown"))
    }

    @Test func `grams of a recipe without a mass say which recipe lacks it, and what to type`()
        throws
    {
        try type("recipe add Base --serves 4")
        try type("recipe add-item Base Stock --kcal 100")
        try type("recipe add Top")
        try type("recipe add-item Top Base --recipe --grams 150")
        let told = try type("recipe show Top")
        let line = try #require(told.split(separator: "\n").first { $0.hasPrefix("! ") })
        #expect(line.contains("is a recipe whose mass is unknown"), "\(line)")
        #expect(!line.contains("give it in grams"), "\(line)")
        #expect(line.hasSuffix(": macrolog recipe edit Base --cooked-mass 300g"), "\(line)")
        try type("recipe edit Base --cooked-mass 300g")
        let whole = try type("recipe show Top")
        #expect(!whole.contains("! ") && whole.contains("50 kcal"), "\(whole)")
    }

    @Test
    func
        `a plan of a recipe whose food was deleted is done with a warning, and of a food it says what to do`()
        throws
    {
        try type("food add Lentils --kcal 130")
        try type("recipe add Dal --serves 2")
        try type("recipe add-item Dal Lentils --grams 400")
        try type("plan add Dal --recipe")
        try type("plan add --food Lentils --grams 100 --date tomorrow")
        let plans = try computer.run(["plan", "show", "--json"]).output
        let ids = plans.matches(of: /"id": "([0-9a-f-]{36})"/).map { String($0.1) }
        try #require(ids.count == 2)
        try type("food delete Lentils")
        let done = try type("plan done \(ids[0])")
        #expect(done.contains("was deleted: its nutrients are unknown"), "\(done)")
        #expect(try !type("plan done \(ids[0])").contains("unknown"), "it was done already")
        let refused = try computer.run(["plan", "done", ids[1]])
        #expect(refused.status == 65)
        let command = try #require(
            refused.errors.firstMatch(
                of: /the food that was planned is deleted; restore it: macrolog (restore [0-9a-f]+)/
            ),
            "\(refused.errors)")
        try type(String(command.1))
        #expect(try type("plan done \(ids[1])").contains("130 kcal"))
        try type("recipe delete Dal")
        try type("plan done \(ids[0])")
    }

    @Test func `a fast that was canceled does not grow, and one of tomorrow is refused`() throws {
        try type("fast start --at 2026-10-01T20:00")
        try type("fast cancel --at 2026-10-01T21:00")
        let fasts = try type("fast list --date 2026-10-02 --json")
        #expect(fasts.contains(#""duration_min": 0,"#), "\(fasts)")
        let future = try computer.run(["fast", "start", "--time", "08:00", "--date", "tomorrow"])
        #expect(
            future.status == 65
                && future.errors.contains(
                    "fast: start is in the future: start the fast when it begins"),
            "\(future)")
        #expect(try type("fast status").hasPrefix("No fast in progress"))
    }

    @Test func `an eaten part of a recipe keeps its weight when the recipe changes`() throws {
        try type("food add Hum --kcal 300")
        try type("recipe add Dip --serves 2")
        try type("recipe add-item Dip Hum --grams 100")
        let item = try item("recipe log Dip")
        try type("recipe edit Dip --serves 4")
        // It was half of 100 g; a serving is a quarter now.
        #expect(try type("item edit \(item) --serving 2").contains("2 serving (50 g), 150 kcal"))
        #expect(try type("item edit \(item) --grams 100").contains("100 g, 300 kcal"))
    }

    @Test func `a dish that is weighed after it was eaten has its servings as before`() throws {
        try type("food add Hum --kcal 300")
        try type("recipe add Dip --serves 2")
        try type("recipe add-item Dip Hum --grams 100")
        let item = try item("recipe log Dip")
        try type("recipe edit Dip --cooked-mass 160g")
        #expect(try type("item edit \(item) --serving 2").contains("2 serving (160 g), 300 kcal"))
    }

    @Test func `a recipe of which little is known says so where it is logged`() throws {
        try type("food add Beans --kcal 120 --p 8 --c 20 --f 0.5")
        try type("recipe add Chili --serves 2")
        try type("recipe add-item Chili Beans --grams 200")
        #expect(!(try type("recipe log Chili").contains("some ingredients only")))
        try type("recipe add-item Chili Beef --kcal 600")
        for line in ["recipe log Chili", "add Chili --recipe"] {
            let said = try type(line)
            let warning = "protein, carbs, fat are known of some ingredients only"
            #expect(said.contains(warning), "\(said)")
        }
    }
}
