import Commands
import JSON
import Macrolog

/// `device list`: who has recorded what, and where the account is signed in.
enum DeviceList {
    static let command = Verb(
        "device list", "List your devices.", example: "device list",
        explanation: """
            The first list comes from the log: every device that has recorded something, by the
            letter that events are named with, and up to which number it is known to hold the log.
            The second comes from the server: where you are signed in. Without a network only the
            first is shown.
            """, run: run)

    static func run(words: Words, home: inout Home) async throws {
        let devices = try home.replica.logDevices()
        var signedIn: [SignedInDevice]?
        var problem: AccountError?
        if try home.account.session != nil {
            do { signedIn = try await home.account.devices() } catch let error as AccountError {
                problem = error
            }
        }
        try home.show([
            "log": .array(devices.map(\.json)),
            "signed_in": signedIn.map { .array($0.map(\.json)) } ?? .null,
        ]) { home in
            home.say(logTable(devices).lines(style: home.style, width: home.terminalWidth))
            home.say("")
            if let signedIn {
                let table = try accountTable(signedIn, now: home.replica.now)
                home.say(table.lines(style: home.style, width: home.terminalWidth))
            } else if problem == nil {
                home.say("Nobody is signed in: the names of devices are kept at a server.")
            }
        }
        if let problem { home.warn("where you are signed in is not known: \(problem)") }
    }

    private static func logTable(_ devices: [LogDevice]) -> Table {
        var table = Table(
            Table.Column("device"), Table.Column("events", .right), Table.Column("last event"),
            Table.Column("holds up to", .right), Table.Column(""), Table.Column("id"))
        for device in devices {
            table.add(
                Table.Cell(device.letter, .bold), Table.Cell("\(device.events)"),
                Table.Cell(device.lastEvent.map { localTimeText($0) } ?? "–"),
                Table.Cell("\(device.holds)"), Table.Cell(device.isThis ? "this one" : ""),
                Table.Cell(device.id.lastDigits(Replica.shortIDDigitsMin), .dim))
        }
        return table
    }

    private static func accountTable(_ devices: [SignedInDevice], now: Int64) -> Table {
        var table = Table(
            Table.Column("signed in"), Table.Column("since"), Table.Column("last heard of"),
            Table.Column(""), Table.Column("id"))
        for device in devices {
            table.add(
                Table.Cell(printable(device.name), .bold),
                Table.Cell(localTimeText(device.created)),
                Table.Cell(localTimeText(device.lastSeen)),
                Table.Cell(device.isThis ? "this one" : ""),
                Table.Cell(device.id.lastDigits(Replica.shortIDDigitsMin), .dim))
        }
        return table
    }
}

/// `device revoke`: signs a device out from afar.
enum DeviceRevoke {
    static let device = Parameter.argument(
        "device", .text("DEVICE"), "Its name, or the last digits of its id, as device list shows.")
    static let yes = Parameter.flag("yes", "Do not ask.")

    static let command = Verb(
        "device revoke", "Sign a device out, wherever it is.", example: "device revoke phone",
        "device revoke 3f2a --yes",
        explanation: """
            For a device that was lost or given away. It keeps what it holds, and gets and sends
            nothing more until somebody signs it in again; what it has sent stays. Change the
            password too, if whoever has it knows it.
            """, run: run
    ) {
        device
        yes
    }

    static func run(words: Words, home: inout Home) async throws {
        let account = try home.account
        let target = try find(words[device], try await account.devices(), words)
        guard try words[yes] || isSure(target, words, &home) else {
            return home.say("Nothing was done.")
        }
        try await account.revoke(target.id)
        try home.show(["revoked": target.json]) { home in
            home.say("Signed out: \(printable(target.name))")
        }
    }

    private static func find(
        _ word: String, _ devices: [SignedInDevice], _ words: Words
    ) throws -> SignedInDevice {
        let digits = word.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
        var found = devices.filter { $0.name.utf8.elementsEqual(word.utf8) }
        if found.isEmpty, digits.count >= Replica.shortIDDigitsMin {
            found = devices.filter { $0.id.lastDigits(digits.count).utf8.elementsEqual(digits) }
        }
        guard let first = found.first else {
            throw Refusal(
                .noInput,
                "\(words.command): no device called \(printable(word)) is signed in: "
                    + "macrolog device list")
        }
        guard found.count == 1 else {
            let ids = found.map { $0.id.lastDigits(8) }.spokenList
            throw words.refusal(
                of: device, "\(found.count) devices are called \(printable(word))",
                instead: "the last digits of an id: \(ids)")
        }
        guard !first.isThis else {
            throw Refusal(
                .usage, "\(words.command): that is this device: macrolog auth logout")
        }
        return first
    }

    private static func isSure(
        _ target: SignedInDevice, _ words: Words, _ home: inout Home
    ) throws -> Bool {
        guard Terminal.canAsk else {
            throw Refusal(
                .usage, "\(words.command): there is no terminal to ask whether you mean it: --yes")
        }
        home.output.write(
            "Sign out \(printable(target.name)), last heard of "
                + "\(localTimeText(target.lastSeen))? (yes/no) ")
        try home.output.flush()
        let answer = (readLine() ?? "").lowercased()
        return answer.utf8.elementsEqual("yes".utf8) || answer.utf8.elementsEqual("y".utf8)
    }
}

extension LogDevice {
    fileprivate var json: JSON {
        [
            "device": .id(id), "letter": .string(letter), "events": .integer(events),
            "last_event_at": .instant(lastEvent), "holds": .integer(holds), "this": .bool(isThis),
        ]
    }
}

extension SignedInDevice {
    fileprivate var json: JSON {
        [
            "id": .id(id), "name": .string(name), "created_at": .instant(created),
            "last_seen_at": .instant(lastSeen), "this": .bool(isThis),
        ]
    }
}
