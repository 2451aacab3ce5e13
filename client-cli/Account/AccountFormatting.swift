import MacrologArgumentParsing
import Macrolog
import MacrologPasswords
import MacrologSystem

/// Shared by the account commands.
enum AccountWords {
    static let email = Parameter.argument("email", .text, "The e-mail address of the account.")
    static let server = Parameter.option(
        "server", .text("URL"),
        "The server, such as https://sync.example.org; otherwise $MACROLOG_SERVER.")
    static let passwordStdin = Parameter.flag(
        "password-stdin", "Read the password from standard input instead of asking.")
}

extension Home {
    /// The account that this log is synced with; the session is stored beside the log.
    var account: Account {
        mutating get throws {
            let session = SessionFile(path: try path + ".session")
            return Account(of: try replica, session: session)
        }
    }

    /// The server from the command line or the environment.
    func server() throws -> String {
        if let server = arguments[AccountWords.server] ?? Environment["MACROLOG_SERVER"],
            !server.isEmpty
        {
            return server
        }
        throw CommandError(
            .usage,
            "\(arguments.command): which server? Type --server https://sync.example.org, or set "
                + "MACROLOG_SERVER")
    }

    /// The password, read without echo from the terminal, or from standard input.
    ///
    /// - Parameter isNew: Asks twice, so that a typing error does not lock the person out.
    func password(isNew: Bool) throws -> String {
        if arguments[AccountWords.passwordStdin] {
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw CommandError(
                    .noInput, "\(arguments.command): standard input holds no password")
            }
            return line
        }
        guard StandardStream.input.isTerminal else {
            throw CommandError(
                .usage,
                "\(arguments.command): there is no terminal to ask for the password: type "
                    + "--password-stdin")
        }
        let password = try Terminal.askSecret("Password: ")
        if isNew { tellStrength(of: password) }
        if isNew, try Terminal.askSecret("Again: ") != password {
            throw CommandError(
                .dataErr, "\(arguments.command): the two passwords differ; try again")
        }
        return password
    }
}

extension Home {
    /// The strength of a new password, and what would improve it, before it is typed again.
    private func tellStrength(of password: String) {
        let address = Array(arguments[AccountWords.email].utf8)
        // Where zxcvbn is not installed, the server alone judges the password.
        guard let strength = try? Strength.of(Array(password.utf8), address: address) else {
            return
        }
        let help = strength.isEnough ? "" : ": \(strength.reason); \(Strength.advice)"
        Terminal.complain("This password is \(strength.word)\(help).")
    }
}

extension Terminal {
    /// Asks on standard error and reads a line without showing it.
    fileprivate static func askSecret(_ question: String) throws -> String {
        try? StandardStream.error.write(Array(question.utf8))
        defer { complain("") }
        let line: String?
        do throws(SystemError) { line = try StandardStream.readHiddenLine() } catch {
            throw CommandError(.ioErr, "the terminal cannot hide the password")
        }
        guard let line, !line.isEmpty else { throw CommandError(.noInput, "no password was typed") }
        return line
    }
}
