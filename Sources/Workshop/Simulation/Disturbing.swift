import MacrologNutritionModels
import MacrologReadModels
import MacrologEngine
import MacrologTestSupport

/// Faults between two acts of people.
extension World {
    func disturb(_ index: Int) throws {
        let device = devices[index]
        if dice.percent(faults.offline) { cut(index) }
        if dice.percent(faults.clockJump) {
            device.skew = dice.roll(-315_360_000_000...315_360_000_000)
            strike("clock jump", "\(device.name)'s clock is \(device.skew / 3_600_000) h off")
        }
        if dice.percent(faults.restart) {
            try attempt {
                device.stop()
                try device.start(now: now, random: &dice)
                strike("device restart", "\(device.name) restarts")
                begin(index)
            }
        }
        if looks { try attempt { try damage(index) } }
        if dice.percent(faults.restore) { try attempt { try restoreOrBackUp(index) } }
        if dice.percent(faults.clone) { try attempt { try clone(index) } }
        if dice.percent(faults.serverRestore) { try restoreOrBackUpServer() }
        if dice.percent(faults.join) { try attempt { try join(owners[index]) } }
        if dice.percent(faults.compact) { try attempt { try compact(index) } }
        if dice.percent(faults.asleep) { try attempt { try sleep() } }
        threatenThePower(of: index)
        if dice.percent(faults.restart / 5) {
            try attempt {
                try server.restart()
                strike("server restart", "the server restarts")
                deliverAnsweredPolls()
            }
        }
    }

    /// Cuts a device off, in one direction or in both, or reconnects it.
    private func cut(_ index: Int) {
        let device = devices[index]
        if !device.isOnline {
            (device.sends, device.hears) = (true, true)
            strike("offline", "\(device.name) is online")
            return feed(.hint, to: index)
        }
        switch dice.roll(0...3) {
        case 0:
            device.sends = false
            strike("requests cut", "\(device.name) is not heard")
        case 1:
            device.hears = false
            strike("answers cut", "\(device.name) is not answered")
        default:
            (device.sends, device.hears) = (false, false)
            strike("offline", "\(device.name) is offline")
        }
    }

    private func compact(_ index: Int) throws {
        let cutoff = now - (dice.pick([0, 60_000, 600_000]) ?? 0)
        let owner = owners[index]
        let given = try devices[index].compact(before: cutoff, accounts[owner])
        guard !given.isEmpty else { return }
        accounts[owner].givenUp.formUnion(given)
        strike("compacted", "\(devices[index].name) drops \(given.count) payloads")
    }
}
