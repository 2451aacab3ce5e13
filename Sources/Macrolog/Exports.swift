// An app imports Macrolog and has the words of the log and of nutrition with it.
@_exported public import Events
@_exported public import Images
@_exported public import Nutrition
@_exported public import Projections
