import MacrologJSON
import MacrologLegacy
import MacrologTestSupport
import Testing

/// Goal: what a database or a program wrote is read to the letter, and a file that was cut or edited is
/// refused with its line instead of being read wrongly.
/// Method: dumps as `pg_dump` writes them in its three plain forms, JSON, and the same cut at every byte.
@Suite struct LegacyFileTests {
    static let copy = #"""
        --
        -- PostgreSQL database dump
        --
        SET statement_timeout = 0;
        CREATE TABLE public."User" (id text NOT NULL, email text);
        COPY public."User" (id, email, "passwordHash", "createdAt") FROM stdin;
        u1	ana@example.org	$2b$05$abc	2024-03-01 08:00:00.123
        u2	ben@example.org	\N	2024-03-02 08:00:00
        \.

        COPY public._prisma_migrations (id, name) FROM stdin;
        1	x	more	fields	than	columns
        \.
        COPY public."MealAnalysis" (id, "userId", "dishName", tags) FROM stdin;
        m1	u1	Soup\twith\nlines \\ and \101	{quick,"red, hot"}
        m2	\N		{}
        \.
        SELECT pg_catalog.setval('public.x', 1, false);

        """#

    private static let insert = #"""
        INSERT INTO public."User" (id, email, "passwordHash", "createdAt") VALUES ('u1', 'ana@example.org', '$2b$05$abc', '2024-03-01 08:00:00.123'), ('u2', 'ben@example.org', NULL, '2024-03-02 08:00:00');
        INSERT INTO public._prisma_migrations VALUES (1, 'x');
        INSERT INTO public."MealAnalysis" (id, "userId", "dishName", tags)
        VALUES ('m1', 'u1', E'Soup\twith\nlines \\ and A', ARRAY['quick', 'red, hot']::text[]),
            ('m2', NULL, '', '{}'::text[]);

        """#

    private static let json = #"""
        {"version": 3, "users": [
        {"id": "u1", "email": "ana@example.org", "passwordHash": "$2b$05$abc"},
        {"id": "u2", "email": "ben@example.org", "password_hash": null}],
        "meal_analyses": [{"id": "m1", "user_id": "u1",
        "dish_name": "Soup\twith\nlines \\ and A"}, {"id": "m2", "userId": null}], "photos": [1]}
        """#

    private func file(_ text: String) throws(LegacyError) -> LegacyFile {
        try LegacyFile(Array(text.utf8))
    }

    @Test(arguments: [copy, insert, json])
    func `a dump of either form and JSON say the same`(text: String) throws {
        let file = try file(text)
        let users = file.rows(.users)
        #expect(users.map { $0.text("email") } == ["ana@example.org", "ben@example.org"])
        #expect(users.map { $0.text("passwordhash") } == ["$2b$05$abc", nil])
        let meals = file.rows(.meals)
        #expect(meals.map(\.owner) == ["u1", nil])
        #expect(meals[0].text("dishname") == "Soup\twith\nlines \\ and A")
        #expect(meals[1].text("dishname") == nil && file.rows.count == 4)
    }

    @Test(arguments: [copy, insert, json])
    func `columns keep the names that the file gives them`(text: String) throws {
        let title = try file(text).titles["dishname"]
        #expect(title == "dishName" || title == "dish_name")
    }

    @Test func `tables that are not read are named, those of tools not`() throws {
        #expect(try file(Self.copy).otherTables.isEmpty && file(Self.insert).otherTables.isEmpty)
        let more = "COPY public.photos (id) FROM stdin;\n1\n2\n\\.\n"
        #expect(try file(Self.copy + more).otherTables == ["photos"])
        let insert = "INSERT INTO public.photos VALUES (1);\n"
        #expect(try file(Self.insert + insert + insert).otherTables == ["photos"])
    }

    @Test func `food logs are an array, or a day of them with its date`() throws {
        let log = #"{"dishName": "Soup"}"#
        let day = #"{"date": "2025-05-27", "logs": [\#(log), \#(log)]}"#
        for text in [day, "[\(day)]"] {
            let rows = try file(text).rows
            #expect(rows.map(\.table) == ["foodlogs", "foodlogs"] && rows.map(\.line) == [1, 2])
            #expect(rows.map { $0.text("id") } == ["2025-05-27/Soup/1", "2025-05-27/Soup/2"])
            #expect(rows.map { $0.text("date") } == ["2025-05-27", "2025-05-27"])
        }
        let alone = try file("[\(log)]").rows
        #expect(alone.count == 1 && alone[0].text("id") == nil && alone[0].kind == .meals)
    }

    @Test func `rows say on which line they begin`() throws {
        let lines = try file(Self.copy).rows.map(\.line)
        #expect(lines == [7, 8, 15, 16])
    }

    @Test func `the placeholder of a user is no one`() throws {
        let file = try file(#"{"meals": [{"id": 1, "userId": "placeholder-user-id"}]}"#)
        #expect(file.rows[0].owner == nil && file.rows[0].text("id") == "1")
    }

    @Test(arguments: [
        ("", "is empty"), ("\n\n", "is empty"), ("hello\n", "no rows"), ("{}", "no rows"),
        ("[1]", "no object of tables"), ("{", "not JSON"), (#"{"meals": [1]}"#, "no object"),
        ("COPY public.meals (id, name) FROM stdin;\n1\tSoup\n", "end early"),
        ("COPY public.meals (id, name) FROM stdin;\n1\n\\.\n", "1 values for 2 columns"),
        ("COPY public.meals (id, name) FROM '/tmp/x';\n", "in another file"),
        ("INSERT INTO public.meals VALUES (1, 'Soup');\n", "have no names"),
        ("INSERT INTO public.meals (id, name) VALUES (1);\n", "1 values for 2 columns"),
        ("INSERT INTO public.meals (id) VALUES ('Soup);\n", "a text has no end"),
        ("INSERT INTO public.meals (id) VALUES (1;\n", "has no end"),
    ])
    func `what cannot be read is refused, with what to do`(text: String, problem: String) {
        let error = #expect(throws: LegacyError.self) { try file(text) }
        #expect(error?.problem.contains(problem) == true, "\(String(describing: error))")
        #expect(error?.hint.isEmpty == false)
    }

    @Test(arguments: [copy, insert, json])
    func `a file that is cut anywhere gives the rows before the cut, or is refused`(text: String)
        throws
    {
        let whole = try file(text).rows.count
        for count in 0..<text.utf8.count {
            let cut = Array(text.utf8.prefix(count))
            guard let rows = try? LegacyFile(cut).rows else { continue }
            #expect(rows.count <= whole)
        }
    }

    @Test func `any bytes are read or refused, in time that follows their number`() {
        var dice = Dice.fresh("LegacyFileTests")
        let words = [
            "COPY ", "INSERT INTO ", "public.", "\"User\" ", "(id", ", ", ")", "VALUES ",
            "FROM stdin;",
            "\n", "\t", "\\.", "\\", "'", "E'", "ARRAY[", "]", "::", "NULL", "{", "}", "\u{0}",
        ]
        for _ in 0..<2_000 {
            let text = (0..<40).map { _ in words[Int.random(in: 0..<words.count, using: &dice)] }
            _ = try? LegacyFile(Array(text.joined().utf8))
        }
    }

    @Test func `arrays in arrays without end are refused`() {
        let deep = String(repeating: "ARRAY[", count: 60_000)
        let dump = "INSERT INTO public.users (id, email) VALUES (1, \(deep));\n"
        let error = #expect(throws: LegacyError.self) { try LegacyFile(Array(dump.utf8)) }
        #expect(error?.problem.contains("nested") == true, "\(String(describing: error))")
    }
}
