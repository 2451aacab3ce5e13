/// All routes of the gateway. Nothing else lists their paths.

package enum APIRoutes {
    /// Every route; those of one path stand together.
    package static let all: [APIRoute] = documents + native

    /// The interface of Macrolog itself.
    private static let native =
        DayRoutes.all + MealRoutes.all + BodyRoutes.all + HistoryRoutes.all

    private static let documents = [
        APIRoute(
            "GET", "/openapi.json", "This interface as OpenAPI 3.1.",
            .open { _, _ in .json(OpenAPI.document) }),
        APIRoute(
            "GET", "/api", "This interface as a page.", answers: [.init(200)],
            .open { _, _ in APIPage.answer }),
    ]
}
