import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologTestSupport

/// Power failures in the middle of a write.
extension World {
    /// Schedules a power failure at one of the next operations of a device's disk, or of the
    /// server's.
    func threatenThePower(of index: Int) {
        if dice.percent(faults.powerLoss) {
            devices[index].disk.cut(after: UInt64(dice.roll(0...40)))
        }
        if dice.percent(faults.powerLoss / 3) {
            server.disk?.cut(after: UInt64(dice.roll(0...40)))
        }
    }

    /// No disk loses its power any more.
    func secureThePower() {
        for device in devices { device.disk.repair() }
        server.disk?.repair()
    }

    /// Restarts whatever has lost its power, with the contents of its disk.
    func switchOnAfterPowerLoss() throws {
        for (index, device) in devices.enumerated() where device.disk.isOff {
            let damage = dice.pick(Damage.allCases) ?? .lost
            device.stop()
            device.disk.restore(damage, seed: dice.next())
            try device.start(now: now, random: &dice)
            strike("power loss", "\(device.name) has lost its power: \(damage)")
            try noteWhatSurvived(on: device, of: owners[index])
            begin(index)
        }
        if let disk = server.disk, disk.isOff {
            let damage = dice.pick(Damage.allCases) ?? .lost
            try server.restart(after: damage, seed: dice.next())
            strike("server power loss", "the server has lost its power: \(damage)")
            deliverAnsweredPolls()
        }
    }

    /// The action that was being recorded is there as a whole, and stays, or was never recorded.
    private func noteWhatSurvived(on device: SimulatedDevice, of person: Int) throws {
        let attempted = device.takeAttempted()
        guard !attempted.isEmpty, device.store.log.unsealedCount >= attempted.count else { return }
        if looks {
            // Unsealed events can be read; sealed ones may be corrupt, and are not read here.
            try device.lookAtQueue(next: Identifier.v4(random: &dice))
        }
        let latest: [LogEntry]
        do { latest = try device.store.latest(attempted.count) } catch {
            guard looks, error.isDamage else { throw error }
            // Events that were being recorded would be newer, and can be read.
            return
        }
        let survivors = latest.map(\.event).filter {
            attempted.contains(Fact($0)) && !accounts[person].must.contains(Fact($0))
        }
        // A partial group would be an event that was never recorded, as the final check reports.
        guard survivors.count == attempted.count else { return }
        for event in survivors { accounts[person].note(event, seen: nil) }
    }
}
