import MacrologEvents
import MacrologHTTP
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologEngine

extension World {
    /// Compares the server's receipts with what devices hold: never more, and one for every device
    /// that is in sync.
    func receiptProblems(of person: Int) throws -> [String] {
        let own = devices.indices.filter { owners[$0] == person }.map { devices[$0] }
        guard let first = own.first else { return [] }
        let answer = server.answer(
            AccountExchange.listDevices(accessToken: first.accessToken), at: now)
        let sessions = try AccountExchange.devices(.success(answer)).sessions
        var problems: [String] = []
        // A new session has no receipt yet.
        if first.store.log.cursor > 0, sessions.allSatisfy({ $0.cursor == nil }) {
            problems.append("\(first.name) is in sync, and the server has no receipt of anybody")
        }
        for session in sessions {
            guard let device = session.device, let cursor = session.cursor else { continue }
            // A copy shares the session of its original; the receipt may be from either.
            let most = own.map { $0.store.log.cursor }.max() ?? 0
            let speakers = own.filter { $0.store.log.device == device }
            let held = speakers.first?.store.log.cursor ?? most
            if device == .zero { problems.append("the server has a receipt of the zero ID") }
            if cursor > held {
                problems.append(
                    "the server says \(session.name) holds \(cursor), but it is \(held)")
            }
        }
        return problems
    }
}
