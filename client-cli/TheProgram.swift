import Commands

/// A verb of `macrolog`.
typealias Verb = Command<Home, any Error>

/// Everything that `macrolog` can do.
let program: Program<Home, any Error> = Program(
    "macrolog", version: Version.number, "A food and weight log that works without a network.",
    explanation: """
        Everything is kept in one file on this device. Other devices of yours are brought up to date
        when you say so, and what they recorded meanwhile is merged: nobody's entry is lost.
        """,
    chapters: [
        Chapter("Beginning", [Init.command]),
        Chapter("Eating", [AddMeal.command, QuickAdd.command]),
        Chapter(
            "Days",
            [
                DayShow.command, DayMark.complete, DayMark.reopen, DayMark.skip, DayNote.command,
                StatsShow.command, CalendarShow.command, ChartShow.weight, ChartShow.energy,
                ChartShow.macros,
            ]),
        Chapter(
            "Meals",
            [
                MealList.command, MealShow.command, MealEdit.command, MealMove.command,
                CopyMeal.command, CopyDay.command, MealDelete.command, MealRestore.command,
                MealConsume.command,
                MealConsume.opposite, MealHistory.command, ItemAdd.command, ItemEdit.command,
                ItemDelete.command, MealPhotos.add, MealPhotos.list, MealPhotos.save,
                MealPhotos.remove,
            ]),
        Chapter(
            "Foods",
            [FoodAdd.command, FoodEdit.command, FoodSearch.command, FoodShow.command]),
        Chapter(
            "Recipes and templates",
            [
                RecipeVerbs.add, RecipeItems.add, RecipeItems.delete, RecipeVerbs.edit,
                RecipeVerbs.show, RecipeVerbs.list, RecipeVerbs.delete, TemplateVerbs.save,
                TemplateVerbs.log, TemplateVerbs.list, TemplateVerbs.delete,
            ]),
        Chapter(
            "Body and goals",
            [
                WeightLog.command, WeightList.command, WeightTrendShow.command,
                WeightEdit.command, WeightDelete.command, GoalSet.command, GoalShow.command,
                GoalHistory.command, TargetsShow.command,
            ]),
        Chapter(
            "The log",
            [
                UndoLast.command, RedoLast.command, ShowLog.command, ConflictsList.command,
                ConflictsSettle.show, ConflictsSettle.keep, ConflictsSettle.useOther,
                DBCheck.command, DBCompact.command, DBRebuild.command, DBStats.command,
                Doctor.command,
            ]),
        Chapter(
            "Files", [ImportCSV.command, ExportCSV.command, ExportJSON.command]),
        Chapter(
            "Syncing",
            [
                AuthRegister.command, AuthLogin.command, AuthLogout.command, AuthStatus.command,
                SyncNow.command, SyncStatusShow.command, DeviceList.command,
                DeviceRename.command, DeviceRevoke.command,
            ]),
        Chapter(
            "The program", [Version.command, PrintManual.command, PrintCompletion.command]),
    ],
    groups: [
        Group("day", "A day as a whole."),
        Group("chart", "Draw what was recorded."),
        Group("copy", "Record again what a day holds."),
        Group("meal", "Look at meals and correct them."),
        Group("meal photo", "The photos of a meal."),
        Group("item", "The parts of a meal."),
        Group("food", "Foods and what they hold."),
        Group("recipe", "Dishes made of foods and of other recipes."),
        Group("template", "Meals that are eaten again and again."),
        Group("weight", "Weigh-ins and their trend."),
        Group("goal", "What you aim at."),
        Group("import", "Bring in what other programs recorded."),
        Group("export", "Take everything with you."),
        Group("auth", "An account at a server."),
        Group("device", "The devices of the log and of the account."),
        Group("conflicts", "What your devices disagree about."),
        Group("db", "The file that holds the log."),
    ],
    notes: ManualNotes.all
) {
    Everywhere.json
    Everywhere.db
    Everywhere.at
    Everywhere.date
    Everywhere.zone
    Everywhere.quiet
    Everywhere.noColor
}
