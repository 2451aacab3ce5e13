import MacrologAnalysis
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// A provider, and how long it paused before it asked again.
struct AskedProvider {
    let provider: Provider
    let pauses: Pauses

    final class Pauses: Sendable {
        private let all = Mutex<[Int64]>([])
        func make(_ pause: Int64) { all.withLock { $0.append(pause) } }
        /// In milliseconds.
        var made: [Int64] { all.withLock { $0 } }
    }

    init(
        _ interface: PublishedInterface, _ server: ModelServer, key: String? = nil,
        secondsMax: Int = 30
    ) throws {
        let scratch = ScratchFolder()
        if let key { try WholeFile.replace(scratch.file("key"), with: Array("\(key)\n".utf8)) }
        let pauses = Pauses()
        self.pauses = pauses
        provider = Provider(
            try ProviderSettings(
                try #require(ProviderInterface(rawValue: interface.rawValue)),
                address: server.address + "/v1", model: "some-model",
                keyFile: key.map { _ in scratch.file("key") }), secondsMax: secondsMax
        ) { pause in
            // The server is there as long as the provider.
            withExtendedLifetime(server) { pauses.make(pause) }
        }
    }

    /// Why a question is not answered; `nil` if it is.
    func error(_ question: FoodQuestion = FoodQuestion(description: "pancakes")) -> AnalysisError? {
        do throws(AnalysisError) {
            _ = try provider.answer(question)
            return nil
        } catch { return error }
    }
}
