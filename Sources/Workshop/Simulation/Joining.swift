/// New devices of people who already have a log.
extension World {
    /// One more device of a person logs in.
    func join(_ person: Int) throws {
        guard devices.count < 7 else { return }
        try addDevice(of: person)
        let index = devices.count - 1
        strike("joined late", "\(devices[index].name) logs in")
        begin(index)
    }
}
