// An app imports Macrolog and has the words of the log and of nutrition with it.
@_exported public import MacrologEvents
@_exported public import MacrologImages
@_exported public import MacrologNutrition
@_exported public import MacrologReadModels
