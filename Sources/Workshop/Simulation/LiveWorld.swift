import MacrologEvents
import MacrologHTTP
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologEngine
import MacrologTestSupport

/// The live channel in the world: polls that travel, are held by the real server, and are lost.
extension World {
    /// Makes a device that was switched on sync and listen.
    func begin(_ index: Int) {
        feed(.start, to: index)
        listen(index)
    }

    /// Begins a poll of a device.
    func listen(_ index: Int) {
        let device = devices[index]
        guard case .poll(let after) = device.live.begin(cursor: device.store.log.cursor) else {
            return
        }
        polls += 1
        let poll = polls
        (device.awaitedPoll, device.pausedPoll, device.pollBegan) = (poll, nil, now)
        guard device.isOnline else {
            return schedule(after: 1, .pollResult(.failure(Self.cut), device: index, poll: poll))
        }
        // Only the watchdog notices a lost message.
        schedule(
            after: LiveListener.watchdogMilliseconds,
            .pollResult(.failure(Self.late), device: index, poll: poll))
        if dice.percent(faults.liveKilled) {
            return strike("live channel killed", "\(device.name)'s poll is lost")
        }
        let request = LiveListener.request(after: after, accessToken: device.accessToken)
        deviceOfPoll[poll] = index
        schedule(after: dice.roll(5...400), .pollArrival(request, poll: poll))
    }

    /// Sends the answers of polls, or a fault in place of an answer.
    func deliverAnsweredPolls() {
        for (poll, response) in server.takeAnsweredPolls() {
            guard let index = deviceOfPoll.removeValue(forKey: poll) else { continue }
            let name = devices[index].name
            guard devices[index].isOnline, !dice.percent(faults.liveKilled) else {
                strike("live channel killed", "the answer to \(name)'s poll is lost")
                continue
            }
            var delays = [dice.roll(5...400)]
            var response = garbled(response)
            if dice.percent(faults.hintsSpoiled) {
                strike("hint spoiled", "\(name)'s hint is late, or false, or comes twice")
                switch dice.roll(0...2) {
                case 0: delays = [dice.roll(1_000...60_000)]
                case 1: delays.append(dice.roll(5...60_000))
                default:
                    response = HTTPResponse(
                        status: 200, body: Array("{\"head\":\(dice.roll(1...200))}".utf8))
                }
            }
            for delay in delays {
                schedule(
                    after: delay, .pollResult(.success(response), device: index, poll: poll))
            }
        }
    }

    /// Tells a device how its poll ended, unless it waits for another one by now.
    func hear(_ result: Result<HTTPResponse, TransportError>, poll: Int, at index: Int) {
        let device = devices[index]
        guard device.awaitedPoll == poll else { return }
        device.awaitedPoll = nil
        let outcome = LiveListener.outcome(result, after: now - device.pollBegan)
        let (hint, next) = device.live.handle(
            outcome, cursor: device.store.log.cursor, random: &dice)
        if hint != nil {
            tell("\(device.name) hears of news")
            feed(.hint, to: index)
        }
        switch next {
        case .poll: listen(index)
        case .pause(let milliseconds):
            device.pausedPoll = poll
            schedule(after: milliseconds, .pollAgain(device: index, poll: poll))
        }
    }

    private static let cut = TransportError(
        code: .unreachable(detail: "simulated"), operation: "GET /v1/events")
    private static let late = TransportError(code: .timedOut, operation: "GET /v1/events")
}
