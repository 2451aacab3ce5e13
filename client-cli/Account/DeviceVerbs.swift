import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `device list`: the devices that have recorded events, and where the account is logged in.
enum DeviceList {
    static let command = Verb(
        "device list", "List your devices.", example: "device list",
        explanation: """
            The first list comes from the log: every device that has recorded an event, by the letter
            that names its events, and up to which number it is known to hold the log. The second
            comes from the server: the devices that are logged in. Without a network only the first
            is shown.
            """, run: run)

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let devices = try home.replica.logDevices()
        var loggedIn: [LoggedInDevice]?
        var problem: AccountError?
        if try home.account.session != nil {
            do { loggedIn = try await home.account.devices() } catch let error as AccountError {
                problem = error
            }
        }
        let json = AccountJSON.devices(devices.map(\.face), loggedIn?.map(\.face))
        try home.show(json) { home in
            home.say(
                logTable(devices, loggedIn ?? []).lines(
                    style: home.style, width: home.terminalWidth))
            home.say("")
            if let loggedIn {
                let table = try accountTable(loggedIn, now: home.replica.now)
                home.say(table.lines(style: home.style, width: home.terminalWidth))
            } else if problem == nil {
                home.say("Not logged in: the names of devices are kept on the server.")
            }
        }
        if let problem { home.warn("the signed-in devices are unknown: \(problem)") }
    }

    private static func logTable(_ devices: [LogDevice], _ loggedIn: [LoggedInDevice]) -> Table {
        var table = Table(
            Table.Column("device"), Table.Column("name"), Table.Column("events", .right),
            Table.Column("last event"),
            Table.Column("holds up to", .right), Table.Column(""), Table.Column("id"))
        for device in devices {
            table.add(
                Table.Cell(device.letter, .bold),
                Table.Cell(loggedIn.last { $0.device == device.id }?.name ?? "–"),
                Table.Cell("\(device.events)"),
                Table.Cell(device.lastEvent.map { localTimeText($0) } ?? "–"),
                Table.Cell("\(device.holds)"), Table.Cell(device.isThis ? "this one" : ""),
                Table.Cell(device.id.lastDigits(Identifier.shortDigitsMin), .dim))
        }
        return table
    }

    static func accountTable(_ devices: [LoggedInDevice], now: Int64) -> Table {
        var table = Table(
            Table.Column("logged in"), Table.Column("since"), Table.Column("last seen"),
            Table.Column(""), Table.Column("id"))
        for device in devices {
            table.add(
                Table.Cell(printable(device.name), .bold),
                Table.Cell(localTimeText(device.created)),
                Table.Cell(localTimeText(device.lastSeen)),
                Table.Cell(device.isThis ? "this one" : ""),
                Table.Cell(device.id.lastDigits(Identifier.shortDigitsMin), .dim))
        }
        return table
    }
}

/// `device rename`: gives a device another name.
enum DeviceRename {
    static let device = DeviceRevoke.device
    static let name = Parameter.argument(
        "name", .text("NAME"), "The new name: 1 to 64 bytes, such as kitchen.")

    static let command = Verb(
        "device rename", "Rename a device.",
        example: "device rename phone \"old phone\"", "device rename 3f2a kitchen",
        explanation: """
            The name is kept on the server and shown on all devices; events are named by the letters
            that `device list` shows. This device can be renamed too.
            """, run: run
    ) {
        device
        name
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        let name = arguments[name]
        guard (1...64).contains(name.utf8.count), name.utf8.elementsEqual(printable(name).utf8)
        else {
            throw arguments.usageError(
                of: Self.name, "is too long, or contains characters that cannot be shown",
                instead: "1 to 64 bytes, such as kitchen")
        }
        let target = try DeviceRevoke.find(
            arguments[device], try await account.devices(), arguments)
        try await account.rename(target.id, to: name)
        // What `sync status` shows is current from here on.
        let renamed = try await account.devices().first { $0.id == target.id }
        try home.show(AccountJSON.renamed((renamed ?? target).face)) { home in
            home.say("Renamed \(printable(target.name)) to \(printable(name)).")
        }
    }
}

/// `device revoke`: logs a device out remotely.
enum DeviceRevoke {
    static let device = Parameter.argument(
        "device", .text("DEVICE"), "Its name, or the last digits of its id, as device list shows.")
    static let yes = Parameter.flag("yes", "Do not ask.")

    static let command = Verb(
        "device revoke", "Sign another device out.", example: "device revoke phone",
        "device revoke 3f2a --yes",
        explanation: """
            For a device that was lost or given away. It keeps its log, and receives and sends
            nothing until it is logged in again; what it has sent stays. Change the password too if
            others may know it.
            """, run: run
    ) {
        device
        yes
    }

    /// The same, beside ``AuthSessions``.
    static let end = Verb(
        "auth sessions end", "End another session of the account.",
        example: "auth sessions end phone", "auth sessions end 3f2a --yes",
        explanation: "As `device revoke`: that device has to log in again, and keeps its log.",
        run: run
    ) {
        device
        yes
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        let target = try find(arguments[device], try await account.devices(), arguments)
        guard !target.isThis else {
            throw CommandError(
                .usage, "\(arguments.command): that is this device: macrolog auth logout")
        }
        guard try arguments[yes] || isSure(target, arguments, &home) else {
            return home.say("Nothing was changed.")
        }
        try await account.revoke(target.id)
        try home.show(AccountJSON.revoked(target.face)) { home in
            home.say("Logged out: \(printable(target.name))")
        }
    }

    fileprivate static func find(
        _ word: String, _ devices: [LoggedInDevice], _ arguments: ParsedArguments
    ) throws -> LoggedInDevice {
        var found = devices.filter { $0.name.utf8.elementsEqual(word.utf8) }
        if found.isEmpty { found = devices.endingIn(word, id: \.id) }
        // In the list of the log a device has the id that names its events.
        if found.isEmpty { found = devices.endingIn(word) { $0.device ?? $0.id } }
        return try arguments.theOnly(
            found, device, id: \.id,
            none: "no device called \(printable(word)) is logged in: macrolog device list",
            several: "devices are called \(printable(word))",
            instead: "the last digits of an id")
    }

    private static func isSure(
        _ target: LoggedInDevice, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> Bool {
        guard Terminal.canAsk else {
            throw CommandError(
                .usage,
                "\(arguments.command): there is no terminal to ask in: type --yes to confirm")
        }
        home.output.write(
            "Log out \(printable(target.name)), last seen "
                + "\(localTimeText(target.lastSeen))? (yes/no) ")
        try home.output.flush()
        let answer = (readLine() ?? "").lowercased()
        return answer.utf8.elementsEqual("yes".utf8) || answer.utf8.elementsEqual("y".utf8)
    }
}

extension LogDevice {
    fileprivate var face: LogDeviceFace {
        LogDeviceFace(
            id: id, letter: letter, events: events, lastEvent: lastEvent, holds: holds,
            isThis: isThis)
    }
}

extension LoggedInDevice {
    var face: LoggedInDeviceFace {
        LoggedInDeviceFace(
            session: id, name: name, created: created, lastSeen: lastSeen, isThis: isThis,
            device: device)
    }
}
