import MacrologEngine
import MacrologTestSupport

/// Faults between two acts in a model world.
extension ModelWorld {
    func disturb(_ index: Int) {
        let device = devices[index]
        if dice.percent(faults.partition) {
            (device.sends, device.hears) = device.sends ? (false, false) : (true, true)
            strike(.partition, index) { device.sends ? "is online" : "is offline" }
        }
        if dice.percent(faults.halfPartition) {
            let sends = dice.percent(50)
            (device.sends, device.hears) = (sends, !sends)
            strike(sends ? .answersCut : .requestsCut, index) {
                sends ? "is not answered" : "is not heard"
            }
        }
        if dice.percent(faults.clockJump) {
            device.skew = dice.roll(-630_720_000_000...630_720_000_000)
            strike(.clockJump, index) { "has a clock that is \(device.skew / 3_600_000) h off" }
        }
        if dice.percent(faults.serverClockJump) {
            now += dice.roll(0...31_536_000_000)
            strike(.serverClockJump, index) { "sleeps, like everybody" }
        }
        if dice.percent(faults.reboot) {
            reboot(index)
            strike(.reboot, index) { "restarts" }
        }
        if dice.percent(faults.restore) { restore(index) }
        if dice.percent(faults.clone), devices.count < 8 { clone(index) }
        if dice.percent(faults.serverRestore) { restoreServer() }
    }

    private func reboot(_ index: Int) {
        boots += 1
        devices[index].reboot(boot: boots, now: now)
        feed(.start, to: index)
    }

    private func restore(_ index: Int) {
        let device = devices[index]
        guard let backup = device.backup, dice.percent(60) else {
            device.backup = device.log
            return
        }
        device.log = backup
        if dice.percent(60) {
            device.log.leave(for: names.new(&dice).name, names)
            strike(.restoredKnowing, index) { "is put back, and knows" }
        } else {
            shared.formUnion([device.log.device, device.log.asker])
            strike(.restoredUnknowing, index) { "is put back, and can't know" }
        }
        writeOff()
        reboot(index)
    }

    private func clone(_ index: Int) {
        let device = devices[index]
        var log = device.log
        let knows = dice.percent(50)
        if knows {
            log.leave(for: names.new(&dice).name, names)
        } else {
            shared.formUnion([log.device, log.asker])
        }
        strike(knows ? .copied : .cloned, index) { "is copied to d\(self.devices.count)" }
        add(log)
    }

    private func restoreServer() {
        guard let backup = dice.pick(backups), dice.percent(50) else {
            backups.append(server)
            return
        }
        epochs += 1
        server = backup
        server.epoch = epochs
        strike(.serverRestored, 0) { "finds the server put back to \(self.server.rows.count)" }
        writeOff()
    }

    /// Events that no disk holds any more are lost.
    private func writeOff() {
        var held = Set(server.rows.map(\.event.fact))
        for device in devices {
            held.formUnion(device.log.facts)
            held.formUnion(device.log.orphans.map(\.fact))
        }
        let gone = must.subtracting(held)
        must.subtract(gone)
        lost.formUnion(gone)
        figures.lostWithDisks += gone.count
    }
}
