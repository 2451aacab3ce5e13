package import MacrologArgumentParsing

/// A verb of `macrolog`.
typealias Verb = Command<Home, any Error>

/// All commands of `macrolog`.
package let program: Program<Home, any Error> = Program(
    "macrolog", version: Version.number, "A food and weight log that works without a network.",
    explanation: """
        Everything is kept in one file on this device. Other devices of yours are brought up to date
        when you say so, and what they recorded meanwhile is merged: nobody's entry is lost.
        """,
    chapters: [
        Chapter(
            "Beginning",
            [
                Onboard.command, Init.command, ProfileVerbs.show, ProfileVerbs.set, ConfigVerbs.get,
                ConfigVerbs.set,
            ]),
        Chapter("Eating", [AddMeal.command, QuickAdd.command]),
        Chapter(
            "Days",
            [
                HomeShow.command, DayShow.command, DayMark.complete, DayMark.reopen, DayMark.skip,
                DayNote.command,
                StatsShow.command, Trends.command, StreakShow.command, TopFoods.command,
                CalendarShow.command, ChartShow.weight, ChartShow.energy, ChartShow.macros,
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
            "Plans",
            [
                PlanVerbs.show, PlanVerbs.add, PlanVerbs.done, PlanVerbs.copyWeek,
                PlanVerbs.delete,
            ]),
        Chapter(
            "Foods",
            [
                FoodAdd.command, FoodEdit.command, FoodSearch.command, FoodSearch.recent,
                FoodShow.command,
                FoodMarks.barcode, FoodPortions.add, FoodPortions.list, FoodPortions.delete,
                FoodMarks.favourite, FoodMarks.unfavourite, FoodMarks.archive,
                FoodMarks.unarchive, FoodMarks.delete, FoodMarks.restore, FoodApply.command,
                FoodImports.usda, FoodImports.swiss, FoodImports.off, NutrientVerbs.add,
                NutrientVerbs.list, NutrientVerbs.pin, NutrientVerbs.unpin, NutrientVerbs.delete,
            ]),
        Chapter(
            "Recipes and templates",
            [
                RecipeVerbs.add, RecipeItems.add, RecipeItems.delete, RecipeVerbs.edit,
                RecipeVerbs.show, RecipeVerbs.list, RecipeVerbs.delete, RecipeUses.scale,
                RecipeUses.fromMeal, RecipeUses.log, RecipeImports.command, TemplateVerbs.save,
                TemplateVerbs.log, TemplateVerbs.list, TemplateVerbs.delete,
            ]),
        Chapter(
            "Body and goals",
            [
                WeightLog.command, WeightList.command, WeightTrendShow.command,
                WeightEdit.command, WeightDelete.command, BodyFatVerbs.log, BodyFatVerbs.list,
                BodyFatVerbs.edit, BodyFatVerbs.delete, BodyFatVerbs.restore, BodyFatVerbs.history,
                MeasureVerbs.log,
                MeasureVerbs.list, MeasureVerbs.edit, MeasureVerbs.delete, MeasureVerbs.restore,
                MeasureVerbs.history,
                MeasureVerbs.setHeight,
                KetoneVerbs.log, KetoneVerbs.list, KetoneVerbs.edit, KetoneVerbs.delete,
                KetoneVerbs.restore,
                KetoneVerbs.history,
                GoalSet.command, GoalShow.command, GoalHistory.command, GoalDelete.command,
                TargetsShow.command, ExpenditureShow.command, MacroPreset.command,
            ]),
        Chapter(
            "Coach and reminders",
            [
                CoachVerbs.say, CoachVerbs.advise, CoachVerbs.context, ReminderVerbs.add,
                ReminderVerbs.list, ReminderVerbs.edit, ReminderVerbs.delete, RemindersDue.command,
            ]),
        Chapter("Diets", [DietVerbs.set, DietVerbs.score, DietVerbs.trend]),
        Chapter(
            "Water, fasts and movement",
            [
                WaterVerbs.add, WaterVerbs.list, WaterVerbs.edit, WaterVerbs.undo,
                WaterVerbs.delete,
                WaterVerbs.restore, WaterVerbs.history, FastVerbs.start, FastVerbs.end,
                FastVerbs.cancel, FastVerbs.status, FastVerbs.list, FastVerbs.edit,
                FastVerbs.delete, FastVerbs.restore, FastVerbs.history, ActivityVerbs.log,
                ActivityVerbs.list, ActivityVerbs.edit, ActivityVerbs.delete,
                ActivityVerbs.restore, ActivityVerbs.history, ActivityVerbs.ofDay,
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
        Group("profile", "Who you are, for the formulas."),
        Group("config", "How things are shown and counted."),
        Group("day", "A day as a whole."),
        Group("chart", "Draw what was recorded."),
        Group("copy", "Record again what a day holds."),
        Group("meal", "Look at meals and correct them."),
        Group("meal photo", "The photos of a meal."),
        Group("item", "The parts of a meal."),
        Group("plan", "What is meant to be eaten."),
        Group("food", "Foods and what they hold."),
        Group("food portion", "The household measures of a food."),
        Group("food import", "Bring in foods from tables of others."),
        Group("nutrient", "What is counted, and what every day shows."),
        Group("recipe", "Dishes made of foods and of other recipes."),
        Group("template", "Meals that are eaten again and again."),
        Group("weight", "Weigh-ins and their trend."),
        Group("bodyfat", "Shares of body fat."),
        Group("measure", "Lengths of the body."),
        Group("height", "How tall you are."),
        Group("ketone", "Levels of ketones."),
        Group("water", "What was drunk."),
        Group("fast", "Times without food."),
        Group("activity", "Workouts and other movement."),
        Group("goal", "What you aim at."),
        Group("macro", "Protein and fat for a kind of training."),
        Group("diet", "A diet, and how well meals fit it."),
        Group("coach", "What a day looks like at a moment."),
        Group("reminder", "What to be reminded of."),
        Group("reminders", "What to be reminded of now."),
        Group("top", "What there is most of."),
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
