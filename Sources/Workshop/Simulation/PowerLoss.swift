import MacrologEvents
import MacrologLog
import MacrologReadModels

/// Power that fails in the middle of a write.
extension World {
    /// Lets the power fail at one of the next operations of a device's disk, or of the hub's.
    func threatenThePower(of index: Int) {
        if dice.percent(faults.powerLoss) {
            devices[index].disk.cut(after: UInt64(dice.roll(0...40)))
        }
        if dice.percent(faults.powerLoss / 3) {
            hub.disk?.cut(after: UInt64(dice.roll(0...40)))
        }
    }

    /// No disk loses its power any more.
    func secureThePower() {
        for device in devices { device.disk.mend() }
        hub.disk?.mend()
    }

    /// Starts again what has lost its power, on whatever its disk holds.
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
        if let disk = hub.disk, disk.isOff {
            let damage = dice.pick(Damage.allCases) ?? .lost
            try hub.restart(after: damage, seed: dice.next())
            strike("hub power loss", "the hub has lost its power: \(damage)")
            deliverAnsweredPolls()
        }
    }

    /// What was being recorded is there as a whole, and is to stay, or was never recorded.
    private func noteWhatSurvived(on device: SimulatedDevice, of person: Int) throws {
        let attempted = device.takeAttempted()
        guard !attempted.isEmpty, device.store.log.unsealedCount >= attempted.count else { return }
        if looks {
            // What waits can be read; what is sealed may be spoiled, and is not read here.
            try device.lookAtQueue(next: Identifier.v4(random: &dice))
        }
        let latest: [LogEntry]
        do { latest = try device.store.latest(attempted.count) } catch let error as LogError
            where looks && error.isDamage
        {
            // What was being recorded would be newer, and can be read.
            return
        }
        let survivors = latest.map(\.event).filter {
            attempted.contains(Fact($0)) && !accounts[person].must.contains(Fact($0))
        }
        // A part of it would be an event that nobody recorded, as the check says in the end.
        guard survivors.count == attempted.count else { return }
        for event in survivors { accounts[person].note(event, seen: nil) }
    }
}
