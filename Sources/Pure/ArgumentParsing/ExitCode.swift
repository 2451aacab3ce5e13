/// How a program says to the one that started it how it went: the codes of BSD's `sysexits.h`.
public struct ExitCode: Equatable, Sendable {
    /// 0…255.
    public let value: Int32
    /// Its meaning, for the manual page.
    public let meaning: String

    /// EX_OK.
    public static let ok = ExitCode(value: 0, meaning: "It worked.")
    /// EX_USAGE.
    public static let usage = ExitCode(value: 64, meaning: "The words typed are not understood.")
    /// EX_DATAERR.
    public static let dataErr = ExitCode(value: 65, meaning: "The data given are not valid.")
    /// EX_NOINPUT.
    public static let noInput = ExitCode(
        value: 66, meaning: "What was named does not exist or cannot be read.")
    /// EX_UNAVAILABLE.
    public static let unavailable = ExitCode(value: 69, meaning: "A service cannot be reached.")
    /// EX_SOFTWARE.
    public static let software = ExitCode(value: 70, meaning: "The program itself is wrong.")
    /// EX_CANTCREAT.
    public static let cantCreate = ExitCode(value: 73, meaning: "A file cannot be created.")
    /// EX_IOERR.
    public static let ioErr = ExitCode(value: 74, meaning: "Reading or writing failed.")
    /// EX_TEMPFAIL.
    public static let tempFail = ExitCode(value: 75, meaning: "It may work later.")
    /// EX_PROTOCOL.
    public static let protocolErr = ExitCode(
        value: 76, meaning: "The other side does not speak the protocol.")
    /// EX_NOPERM.
    public static let noPerm = ExitCode(value: 77, meaning: "It is not allowed.")
    /// EX_CONFIG.
    public static let config = ExitCode(value: 78, meaning: "The configuration is not valid.")

    /// A stable word for it, for errors as JSON.
    public var word: String {
        switch self {
        case .usage: "usage"
        case .dataErr: "invalid_data"
        case .noInput: "not_found"
        case .unavailable: "server_unreachable"
        case .cantCreate: "cannot_create_file"
        case .ioErr: "input_output"
        case .tempFail: "temporary"
        case .protocolErr: "protocol"
        case .noPerm: "not_allowed"
        case .config: "configuration"
        default: "internal"
        }
    }

    /// Every code, in ascending order.
    public static let all: [ExitCode] = [
        ok, usage, dataErr, noInput, unavailable, software, cantCreate, ioErr, tempFail,
        protocolErr, noPerm, config,
    ]
}
