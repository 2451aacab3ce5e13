// An app that imports Macrolog also gets the types of the replica, of the log and of nutrition.
@_exported public import MacrologDiary
@_exported public import MacrologEngine
@_exported public import MacrologEvents
@_exported public import MacrologNutrition
@_exported public import MacrologNutritionModels
@_exported public import MacrologReadModels
