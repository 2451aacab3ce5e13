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
        case .stepped: "a step of recovery"
        case .recovered: "the last step of recovery"
        case .failed: "\(device.lastError.map(\.description) ?? "nothing")"
        default: "\(event)"
        }
    }
}
