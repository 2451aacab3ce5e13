import MacrologArgumentParsing
import Macrolog
import MacrologPasswords
import MacrologSystem
import MacrologTerminal

/// Shared by the account commands.
enum AccountWords {
    static let email = Parameter.argument("email", .text, "The e-mail address of the account.")
    static let server = Parameter.option(
        "server", .text("URL"),
        "The server, such as https://sync.example.org; otherwise $MACROLOG_SERVER.")
    static let passwordStdin = Parameter.flag(
        "password-stdin", "Read the password from standard input instead of asking.")
    static let code = Parameter.option(
        "code", .text("CODE"),
        "The code of your authenticator app, or a recovery code, if the account has a second factor."
    )
    static let certificates = Parameter.option(
        "ca", .file,
        "Trust the certificates in this file (PEM), too: for a server with its own. It is kept with "
            + "the session; otherwise $MACROLOG_CA.")
}

extension Home {
    /// The account that this log is synced with; the session is stored beside the log.
    var account: Account {
        mutating get throws {
            let session = SessionFile(path: try path + ".session")
            var certificates = try Self.certificates(Environment["MACROLOG_CA"], "MACROLOG_CA")
            if certificates == nil { certificates = try session.load()?.certificates }
            return Account(of: try replica, session: session, certificates: certificates)
        }
    }

    /// The account for a command that takes ``AccountWords/certificates``.
    mutating func accountTrusting() throws -> Account {
        guard let file = try Self.certificates(arguments[AccountWords.certificates], "--ca") else {
            return try account
        }
        let session = SessionFile(path: try path + ".session")
        return Account(of: try replica, session: session, certificates: file)
    }

    /// The whole path of a file of certificates, after a look into it; `nil` for none.
    private static func certificates(_ file: String?, _ source: String) throws -> String? {
        guard let file, !file.isEmpty else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try File.open(file, followsLinks: true).read(atMost: 1 << 22)
        } catch {
            throw CommandError(
                .noInput, "\(source): \(printable(file)) cannot be read: \(error)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw CommandError(
                .dataErr,
                "\(source): \(printable(file)) holds no certificate: give a PEM file, which begins "
                    + "with -----BEGIN CERTIFICATE-----")
        }
        return Files.wholePath(file)
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
    /// - Parameters:
    ///   - isNew: Asks twice, so that a typing error does not lock the person out.
    ///   - question: What to ask.
    ///   - address: Of the account, which a new password must not resemble.
    func password(
        isNew: Bool, _ question: String = "Password: ", address: String = ""
    ) throws -> String {
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
        let password = try Terminal.askSecret(question)
        if isNew { tellStrength(of: password, address) }
        if isNew, try Terminal.askSecret("Again: ") != password {
            throw CommandError(
                .dataErr, "\(arguments.command): the two passwords differ; try again")
        }
        return password
    }
}

extension Home {
    /// The strength of a new password, and what would improve it, before it is typed again.
    private func tellStrength(of password: String, _ address: String) {
        let address = Array(address.utf8)
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
    static func askSecret(_ question: String) throws -> String {
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
