import Foundation
import MacrologGzip
import MacrologJSON
import Testing

/// Goal: files of foods and recipes come in by what is typed, and a script learns what did not.
/// Method: small files and the real program.
@Suite struct FoodImportCommandTests {
    private func write(_ text: String, as name: String, on computer: Computer) throws {
        try text.write(
            to: computer.folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    @Test func `a table of meals that is too large is refused, unpacked or packed`() throws {
        let computer = try Computer()
        let zeros = [UInt8](repeating: 0x30, count: (64 << 20) + 1)
        for (name, bytes) in [("zeros.csv", zeros), ("zeros.csv.gz", gzip(zeros))] {
            try Data(bytes).write(to: computer.folder.appending(path: name))
            let result = try computer.run(["import", "csv", name])
            #expect(result.status == 65, "\(name)")
            #expect(
                result.errors.contains("\(name) has more than 67108864 bytes"), "\(result.errors)")
        }
    }

    @Test func `a table says what became of it, and refused rows are an exit code`() throws {
        let computer = try Computer()
        try write(
            "ndb_no,name,energy_kcal,protein_g,carbs_g,fat_g\n1,Rye,330,9,70,2\n2,Bad,x,1,1,1\n",
            as: "foods.csv", on: computer)
        try write(
            "ndb_no,seq,amount,measure,grams\n1,1,.5,cup,60\n", as: "portions.csv", on: computer)
        let words = ["food", "import", "usda", "foods.csv", "--portions", "portions.csv"]
        let dry = try computer.run(words + ["--dry-run"])
        #expect(dry.status == 65)
        #expect(
            dry.output == """
                Would import foods: 1 new, 0 changed, 0 the same, 1 refused.
                  new      line 2
                  refused  line 3
                Would import portions: 1 new, 0 changed, 0 the same, 0 refused.
                  new      line 2

                """)
        #expect(dry.errors.contains("line 3, energy_kcal: \"x\" is not a number"))
        #expect(try computer.run(["food", "search"]).output == "No matching food.\n")
        let result = try computer.run(words)
        #expect(result.status == 65)
        #expect(result.output.hasSuffix("To undo the import: macrolog undo\n"))
        let added = try computer.run(["add", "--food", "Rye", "--amount", "1 cup", "--json"])
        #expect(added.status == 0, "\(added.errors)")
        #expect(
            try JSON.parse(Array(added.output.utf8))["totals"]?["sums"]?["energy_kcal"] == 396)
        let again = try computer.run(words + ["--json"])
        let json = try JSON.parse(Array(again.output.utf8))
        #expect(json["rows_same"] == 1)
        #expect(json["rejected_lines"] == [3])
        #expect(json["portions"]?["rows_same"] == 1)
    }

    @Test func `a file that ends in a mistake says what of it came in`() throws {
        let computer = try Computer()
        let rows = (1...5_000).map { "\($0),Food number \($0),100,1,1,1\n" }.joined()
        try write(
            "ndb_no,name,energy_kcal,protein_g,carbs_g,fat_g\n\(rows)9,\"never closed\n",
            as: "foods.csv", on: computer)
        let result = try computer.run(["food", "import", "usda", "foods.csv"])
        #expect(result.status == 65)
        #expect(result.errors.contains("line 5002: a quote is opened and never closed"))
        #expect(result.errors.contains("foods before it came in"))
        #expect(!result.errors.contains("nothing was written"))
        #expect(try computer.run(["food", "search", "number"]).output.contains("Food number"))
    }

    @Test func `products come from standard input, and a file of something else is refused`() throws
    {
        let computer = try Computer()
        let product = #"{"code": "96385074", "product_name": "Oat drink", "nutriments": {}}"#
        let result = try computer.run(["food", "import", "off", "-"], input: product)
        #expect((result.status, result.errors) == (0, ""))
        #expect(try computer.run(["food", "barcode", "96385074"]).status == 0)
        try write("date,food\n", as: "diary.csv", on: computer)
        for source in ["usda", "swiss", "off"] {
            let refused = try computer.run(["food", "import", source, "diary.csv"])
            #expect(refused.status == 65)
            #expect(refused.errors.contains("nothing was written"))
        }
        #expect(try computer.run(["food", "import", "usda", "none.csv"]).status == 66)
    }

    @Test func `a file may be compressed, and one that is cut off says what of it came in`() throws
    {
        let computer = try Computer()
        let rows = (1...20_000).map { "\($0),Food \($0 % 7) number \($0),100,1,1,1\n" }.joined()
        let packed = gzip(
            Array(("ndb_no,name,energy_kcal,protein_g,carbs_g,fat_g\n" + rows).utf8))
        let file = computer.folder.appending(path: "foods.csv.gz")
        try Data(packed).write(to: file)
        let words = ["food", "import", "usda", "foods.csv.gz"]
        #expect(
            try computer.run(words + ["--dry-run"]).output
                .hasPrefix("Would import foods: 20,000 new, 0 changed"))
        try Data(packed.dropLast(1_000)).write(to: file)
        let cut = try computer.run(words)
        #expect(cut.status == 65)
        #expect(
            cut.errors.contains("foods.csv.gz cannot be unpacked: the gzip body ends too early"))
        #expect(cut.errors.contains("foods before it came in"))
        try Data(packed).write(to: file)
        let whole = try computer.run(words + ["--json"])
        #expect(whole.status == 0, "\(whole.errors)")
        #expect(try computer.run(["food", "search", "20000"]).output.contains("number 20000"))
    }

    @Test func `a recipe says which of its lines are foods, and which are words`() throws {
        let computer = try Computer()
        _ = try computer.run(["food", "add", "Rice", "--kcal", "350"])
        try write(
            #"{"name": "Pot", "recipeServings": 2, "recipeIngredient": ["200 g rice", "2-3 x"]}"#,
            as: "pot.json", on: computer)
        let result = try computer.run(["recipe", "import", "pot.json"])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("Stored Pot, 2 ingredients  "))
        #expect(lines[1] == "  your food  200 g rice: 200 g")
        #expect(lines[2] == "  text only  2-3 x")
        let logged = try computer.run(["recipe", "log", "Pot", "--json"])
        #expect(
            try JSON.parse(Array(logged.output.utf8))["totals"]?["sums"]?["energy_kcal"] == 350)
    }
}
