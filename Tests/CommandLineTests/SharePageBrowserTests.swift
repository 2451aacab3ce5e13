import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: a real browser shows what strangers see as it is meant, on a phone and a desktop, in light and in
/// dark: with its own style, within the screen, without a complaint about its policy, and readable for everyone.
/// Method: headless Chromium, where installed, on the real server over loopback; what it logs to its console,
/// what it draws, and every rule of axe-core. `MACROLOG_TEST_PAGES` is a folder for the pictures, to look at.
@Suite(
    .enabled("Chromium, its chromedriver or the libraries that draw are not installed") {
        Browser.isThere && canDrawCards
    })
struct SharePageBrowserTests {
    private let two: SyncedDevices
    private let browser: Browser

    init() throws {
        two = try SyncedDevices()
        browser = try Browser()
    }

    /// Opens an address on each screen, and gives its picture.
    private func look(
        _ name: String, _ address: String, logs: [String] = [],
        _ check: (Browser.Screen) throws -> Void
    ) throws {
        var pictures: Set<Data> = []
        for screen in Browser.Screen.all {
            try browser.use(screen)
            try browser.open(address)
            let comment: Comment = "\(name) \(screen)"
            #expect(try browser.console() == logs, comment)
            let overflow = "document.documentElement.scrollWidth - innerWidth"
            #expect(try browser.value(overflow).integer ?? 1 <= 0, comment)
            if let axe = Browser.axe { #expect(try browser.faults(axe) == [], comment) }
            try check(screen)
            let picture = try browser.picture()
            if let folder = ProcessInfo.processInfo.environment["MACROLOG_TEST_PAGES"] {
                try picture.write(to: URL(filePath: "\(folder)/\(name)-\(screen).png"))
            }
            pictures.insert(picture)
        }
        #expect(pictures.count == Browser.Screen.all.count, "\(name): two pictures are the same")
    }

    @Test func `the page of a share is clean on every screen`() throws {
        try two.run(two.phone, "profile set --diet mediterranean")
        let long = String(repeating: "Donaudampfschiffahrtsgesellschaft", count: 3)
        for meal in ["Porridge --kcal 380 --p 14 --c 60 --f 9", "رز --kcal 640 --p 38", long] {
            try two.run(two.phone, "add \(meal) --at 2024-03-10T07:40")
        }
        let list = try two.json(two.phone, "meal list --date 2024-03-10")
        let meal = try #require(list.array?.first?["id"]?.string).suffix(4)
        for (name, words) in [
            ("meal", "meal \(meal)"), ("day", "day 2024-03-10"),
            ("range", "range 2024-03-08..2024-03-10"),
        ] {
            let link = try #require(try two.json(two.phone, "share \(words)")["link"]?.string)
            try look(name, link) { screen in
                let heading = try browser.value("document.querySelector('h1 bdi').innerText")
                #expect(heading.string?.isEmpty == false)
                // The name of the diet is not broken: two lines of 12 pixels are more.
                let height = try browser.value(
                    "Math.ceil(document.querySelector('.score>span')?.offsetHeight ?? 0)")
                #expect(height.integer ?? 99 < 20, "\(name) \(screen)")
                let isBound = try browser.value("document.querySelector('.energy small') != null")
                // Of one meal no energy is known, so the day and the mean of the days are lower bounds.
                #expect(isBound == .bool(name != "meal"), "\(name) \(screen)")
                let ground = try browser.value("getComputedStyle(document.body).backgroundColor")
                #expect(
                    ground == (screen.isDark ? "rgb(13, 17, 23)" : "rgb(255, 255, 255)"))
            }
        }
    }

    @Test func `the page in place of a share that is not there is clean on every screen`() throws {
        let address = two.server.address + "/s/nothing"
        try look(
            "nothing", address,
            logs: [
                "\(address) - Failed to load resource: the server responded with a status of 404 (Not Found)"
            ]
        ) { _ in
            let heading = try browser.value("document.querySelector('h1').innerText")
            #expect(heading == "Nothing is shown here")
        }
    }

    @Test func `the page of the web interface is clean on every screen`() throws {
        try look("api", two.server.address + "/api") { _ in
            let count = try browser.value("document.querySelectorAll('section').length")
            #expect(count.integer ?? 0 > 100)
            #expect(try browser.value("document.body.innerText.includes('`')") == false)
        }
    }
}
