import MacrologEvents
import MacrologEngine

/// The lines that a world adds to its story.
extension World {
    func strike(_ fault: String, _ line: @autoclosure () -> String) {
        figures.struck.note(fault)
        tell(line())
    }

    func tell(_ line: @autoclosure () -> String) {
        guard tells else { return }
        let time = now - Self.beginning
        story.append("\(time / 1_000).\(time % 1_000) \(line())")
    }

    func describe(_ event: SyncMachine.Event, _ device: SimulatedDevice) -> String {
        switch event {
        case .answered(_, let progress):
            "\(progress.cursor) of \(progress.head), \(progress.unsealed) unsealed"
        case .recovered(_, let isLast): "a step of recovery\(isLast ? ", the last" : "")"
        case .repaired(_, let isLast, _): "a step of repair\(isLast ? ", the last" : "")"
        case .failed: "\(device.lastError.map(\.description) ?? "nothing")"
        default: "\(event)"
        }
    }
}
