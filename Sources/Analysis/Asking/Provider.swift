/// Asks a provider: one question at a time, within limits, and again where that may help.
import MacrologHTTP
import MacrologHTTPClient
import MacrologJSON
import MacrologSystem

/// A provider that can be asked. Several threads may share it; their questions are serialized.
public final class Provider: Sendable {
    /// What it was made of.
    public let settings: ProviderSettings
    private let transport: HTTPTransport
    private let secondsMax: Int
    private let pause: @Sendable (_ milliseconds: Int64) -> Void

    /// The longest answer, in bytes.
    package static let answerBytesMax = 262_144
    /// How long a provider may take for one answer, in seconds.
    package static let usualSeconds = 30
    /// What is waited before the second and the third try, in milliseconds, unless the provider says.
    private static let pauses: [Int64] = [1_000, 3_000]
    /// The longest that a provider is waited for because it says so, in milliseconds.
    private static let pauseMax: Int64 = 20_000

    /// A provider.
    ///
    /// - Parameter secondsMax: How long it may take for one answer.
    public convenience init(_ settings: ProviderSettings, secondsMax: Int = 30) {
        self.init(settings, secondsMax: secondsMax) { SystemClock.sleep(milliseconds: $0) }
    }

    /// - Parameter pause: Waits this many milliseconds.
    package init(
        _ settings: ProviderSettings, secondsMax: Int = Provider.usualSeconds,
        pause: @escaping @Sendable (_ milliseconds: Int64) -> Void
    ) {
        self.settings = settings
        self.secondsMax = secondsMax
        self.pause = pause
        transport = HTTPTransport()
    }

    /// Sends a question and waits for the answer: at most three times while the provider says that it is
    /// overloaded or has failed.
    ///
    /// - Parameter tries: How many times it is asked at most, 1 to 3.
    package func ask(_ question: ModelQuestion, tries: Int = 3) throws(AnalysisError) -> ModelReply
    {
        precondition(1...3 ~= tries, "a provider is asked one to three times")
        let interface = settings.interface.interface
        let request = interface.request(question, model: settings.model, key: settings.key)
        var tried = 0
        while true {
            let response = try send(request)
            tried += 1
            switch response.status {
            case 200:
                return try interface.reply(Self.document(response.body), to: question)
            case 401, 403:
                throw .keyRefused(
                    status: response.status, ReplyText.complaint(response.body))
            case 429, 500...599:
                let wait = Self.wait(response, tried: tried)
                guard tried < tries, let wait else { throw .busy(status: response.status) }
                pause(wait)
            default:
                throw .notAccepted(
                    status: response.status, ReplyText.complaint(response.body))
            }
        }
    }

    static func document(_ response: [UInt8]) throws(AnalysisError) -> JSON {
        do throws(JSONError) { return try JSON.parse(response) } catch {
            throw .otherForm("the response is not JSON")
        }
    }

    /// How long to wait; `nil` if the provider wants to be left alone for longer than a person waits.
    private static func wait(_ response: HTTPResponse, tried: Int) -> Int64? {
        guard let field = response.field("retry-after"), let seconds = Int64(field), seconds >= 0
        else { return pauses[min(tried, pauses.count) - 1] }
        return seconds <= pauseMax / 1_000 ? seconds * 1_000 : nil
    }

    private func send(_ request: HTTPRequest) throws(AnalysisError) -> HTTPResponse {
        let limits = ExchangeLimits(
            connectMilliseconds: min(10, secondsMax) * 1_000,
            exchangeMilliseconds: secondsMax * 1_000, stallSeconds: secondsMax,
            bodyBytesMax: Self.answerBytesMax)
        do throws(TransportError) {
            return try transport.send(request, to: settings.origin, limits: limits)
        } catch {
            switch error.code {
            case .timedOut: throw .slow(seconds: secondsMax)
            case .tooLarge: throw .tooLong
            // The text names the address and never the key, which travels in a field.
            case .unreachable, .tls, .cancelled, .malformed, .noLibrary:
                throw .offline(error.explanation)
            }
        }
    }
}
