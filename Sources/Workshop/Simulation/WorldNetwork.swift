import MacrologHTTP
import MacrologEngine
import MacrologTestSupport

/// A network that loses, repeats, delays, blocks and corrupts messages.
extension World {
    func send(
        from index: Int, _ exchange: Int, _ ask: (SimulatedDevice) throws -> HTTPRequest?
    ) {
        let device = devices[index]
        let request: HTTPRequest?
        do { request = try device.sends || device.hears ? ask(device) : nil } catch let error
            as SyncError
        {
            return schedule(after: 1, .exchangeError(error, device: index, exchange: exchange))
        } catch {
            tell("\(device.name) can't ask: \(error)")
            request = nil
        }
        guard let request else { return fail(exchange, of: index, after: 1) }
        figures.exchanges += 1
        if !device.sends { return }
        if dice.percent(faults.lostBefore) {
            return strike("lost before", "\(device.name)'s request is lost")
        }
        let isHeard = !dice.percent(faults.lostAfter)
        if !isHeard { strike("lost after", "the answer to \(device.name) will be lost") }
        var delay = dice.roll(5...400)
        if dice.percent(faults.late) {
            delay = dice.roll(400...120_000)
            strike("late", "\(device.name)'s request takes \(delay) ms")
        }
        let life = Life(exchange: exchange, boot: device.boot)
        schedule(
            after: delay, .arrival(request, device: index, life: life, answers: isHeard))
        if dice.percent(faults.repeated) {
            strike("repeated", "\(device.name)'s request will arrive twice")
            schedule(
                after: dice.roll(1...86_400_000),
                .arrival(request, device: index, life: life, answers: dice.percent(50)))
        }
    }

    /// Makes an exchange fail.
    func fail(_ exchange: Int, of index: Int, after milliseconds: Int64) {
        let life = Life(exchange: exchange, boot: devices[index].boot)
        schedule(
            after: milliseconds,
            .result(.failure(Self.unreachable), device: index, life: life))
    }

    func garbled(_ response: HTTPResponse) -> HTTPResponse {
        guard dice.percent(faults.garbled) else { return response }
        let html = HTTPField("content-type", "text/html")
        switch dice.roll(0...3) {
        case 0:
            strike("captive portal", "a hotel answers")
            return HTTPResponse(status: 200, fields: [html], body: Array("<html>".utf8))
        case 1:
            strike("bad gateway", "a proxy answers")
            return HTTPResponse(status: 502, fields: [html])
        case 2:
            strike("truncated", "an answer is cut off")
            var response = response
            response.body.removeLast(min(response.body.count, Int(dice.roll(1...40))))
            return response
        default:
            strike("garbled", "an answer is garbled on its way")
            var response = response
            if !response.body.isEmpty { response.body[response.body.count / 2] ^= 1 }
            return response
        }
    }

    static let unreachable = TransportError(
        code: .unreachable(detail: "simulated"), operation: "POST /v1/sync")
}
