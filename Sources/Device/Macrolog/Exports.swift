// An app that imports Macrolog also gets the types of the replica, of the log and of nutrition. A type alias for each
// word in place of these lines would not do: since Swift 6.1 an app can enable `MemberImportVisibility`, and then a
// property of a type is visible only where the type's own module is imported, or re-exported as here. None of the
// six can be left out: the two smallest hold `EntryError` and `ReplicaError`, which an app catches.
@_exported public import MacrologDiary
@_exported public import MacrologEngine
@_exported public import MacrologEvents
@_exported public import MacrologNutrition
@_exported public import MacrologNutritionModels
@_exported public import MacrologReadModels
