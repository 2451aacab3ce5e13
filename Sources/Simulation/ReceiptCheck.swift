import Events
import HTTP
import Log
import Projections
import Sync

extension World {
    /// What the hub says that devices hold, compared with what they hold: never more, and of every
    /// device that has settled something.
    func receiptProblems(of person: Int) throws -> [String] {
        let own = devices.indices.filter { owners[$0] == person }.map { devices[$0] }
        guard let first = own.first else { return [] }
        let names = own.reduce(into: Set()) { $0.formUnion($1.names) }
        let answer = hub.answer(
            AccountExchange.listDevices(accessToken: first.accessToken), at: now)
        var problems = try own.compactMap { try missingReceipt(of: $0) }
        for session in try AccountExchange.devices(.success(answer)).sessions {
            guard let device = session.device, let cursor = session.cursor,
                device != Self.reader
            else { continue }
            // A copy has the session of its original, and either may have spoken last.
            let most = own.map { $0.store.log.cursor }.max() ?? 0
            let speakers = own.filter { $0.store.log.device == device }
            let held = speakers.first?.store.log.cursor ?? most
            if cursor > held {
                problems.append("the hub says \(session.name) holds \(cursor), but it is \(held)")
            }
            if !names.contains(device) {
                problems.append("the hub has a receipt of a device that \(session.name) never was")
            }
        }
        return problems
    }

    /// The session in which a device has settled tells what it holds; one that it has left need not.
    private func missingReceipt(of device: SimulatedDevice) throws -> String? {
        let answer = hub.answer(
            AccountExchange.listDevices(accessToken: device.accessToken), at: now)
        let current = try AccountExchange.devices(.success(answer)).sessions.first(
            where: \.isCurrent)
        return current?.cursor == nil
            ? "\(device.name) has settled, and the hub has no receipt" : nil
    }
}
