/// All routes of the gateway. Nothing else lists their paths.
import MacrologJSON

package enum APIRoutes {
    /// Every route; those of one path stand together.
    package static let all: [APIRoute] = documents + native + earlier

    /// The interface of Macrolog itself.
    private static let native =
        DayRoutes.all + MealRoutes.all + ProposalRoutes.all + SummaryRoutes.all + FoodRoutes.all
        + GoalRoutes.all
        + BodyRoutes.all + HistoryRoutes.all + WebhookRoutes.all + QuickRoute.all
        + ExportRoutes.all

    /// The interfaces of the earlier systems, whose apps keep working.
    private static let earlier =
        AuthRoutes.all + AnalysisRoutes.all + CarbCalRoutes.all + NutritionAIRoutes.all
        + ShareRoutes.all + FitAIRoutes.all + PhotoRoutes.all

    private static let openAPI = APIAnswer.document(
        OpenAPI.document.compact + "\n", type: "application/json")

    private static let documents = [
        APIRoute(
            "GET", "/openapi.json", "This interface as OpenAPI 3.1.",
            answers: [.init(200, .anyObject)], .open { _, _ in openAPI }),
        APIRoute(
            "GET", "/api", "This interface as a page.", answers: [.init(200)],
            .open { _, _ in APIPage.answer }
        ).with(types: ["text/html"]),
    ].map { route in
        var route = route
        route.isDocument = true
        return route
    }
}
