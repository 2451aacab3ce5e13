package import MacrologDiary
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

extension Replica {
    /// Lends the log as a diary, and notifies observers when something was recorded meanwhile.
    package func withDiary<T: Sendable>(_ body: (inout Diary) throws -> T) throws -> T {
        let clock = clock
        return try withStore { store in
            var diary = Diary(consume store, clock: clock, newID: newID)
            let result = Result { try body(&diary) }
            store = diary.closed()
            do { return try result.get() } catch let error as DiaryError {
                switch error {
                case .log(let error): throw error
                case .refused(let error): throw error
                case .portion(let error): throw error
                }
            }
        }
    }
}
