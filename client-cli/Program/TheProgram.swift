public import MacrologArgumentParsing

/// A verb of `macrolog`.
typealias Verb = Command<Home, any Error>

/// All commands of `macrolog`.
public let program: Program<Home, any Error> = Program(
    "macrolog", version: Version.number, "A food and weight log that works offline.",
    explanation: """
        The log is one file on this device. `sync` exchanges changes with your other devices through
        a server and merges them: no entry is lost.
        """,
    chapters: [
        Chapter(
            "Setup",
            [
                Onboard.command, Init.command, ProfileVerbs.show, ProfileVerbs.set, ConfigVerbs.get,
                ConfigVerbs.set, DemoSeed.command,
            ]),
        Chapter("Logging meals", [AddMeal.command, QuickAdd.command]),
        Chapter(
            "Entries of any kind",
            [AnyEntry.edit, AnyEntry.delete, AnyEntry.restore, AnyEntry.history]),
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
                CopyMeal.command, CopyDay.command, KindVerbs.deleteMeals, KindVerbs.restoreMeal,
                MealConsume.command,
                MealConsume.opposite, MealHistory.command, ItemAdd.command, ItemEdit.command,
                KindVerbs.deleteItems, MealAnalysis.analyze, MealAnalysis.proposals,
                MealAnalysis.confirm, MealPhotos.add, MealPhotos.list, MealPhotos.save,
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
                FoodMarks.barcode, FoodScan.command, FoodLabel.command, FoodPortions.add,
                FoodPortions.list, FoodPortions.delete,
                FoodMarks.favourite, FoodMarks.unfavourite, FoodMarks.archive,
                FoodMarks.unarchive, FoodMarks.delete, KindVerbs.restoreFood, FoodApply.command,
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
                WeightEdit.command, KindVerbs.deleteWeighIns, BodyFatVerbs.log, BodyFatVerbs.list,
                BodyFatVerbs.edit, BodyFatVerbs.other.delete, BodyFatVerbs.other.restore,
                BodyFatVerbs.other.history,
                MeasureVerbs.log,
                MeasureVerbs.list, MeasureVerbs.edit, MeasureVerbs.other.delete,
                MeasureVerbs.other.restore,
                MeasureVerbs.other.history,
                MeasureVerbs.setHeight,
                KetoneVerbs.log, KetoneVerbs.list, KetoneVerbs.edit, KetoneVerbs.other.delete,
                KetoneVerbs.other.restore,
                KetoneVerbs.other.history,
                CheckInVerbs.log, CheckInVerbs.show, CheckInVerbs.list, CheckInVerbs.other.delete,
                CheckInVerbs.other.restore, CheckInVerbs.other.history,
                GoalSet.command, GoalShow.command, GoalHistory.command, GoalDelete.command,
                TargetsShow.command, ExpenditureShow.command, MacroPreset.command,
            ]),
        Chapter(
            "Coach and reminders",
            [
                CoachVerbs.say, CoachVerbs.advise, AdviceAccept.command, CoachVerbs.context,
                ReminderVerbs.add,
                ReminderVerbs.list, ReminderVerbs.edit, ReminderVerbs.delete, RemindersDue.command,
            ]),
        Chapter("Diets", [DietVerbs.set, DietVerbs.score, DietVerbs.trend]),
        Chapter(
            "Water, fasts and activities",
            [
                WaterVerbs.add, WaterVerbs.list, WaterVerbs.edit, WaterVerbs.undo,
                WaterVerbs.other.delete,
                WaterVerbs.other.restore, WaterVerbs.other.history, FastVerbs.start, FastVerbs.end,
                FastVerbs.cancel, FastVerbs.status, FastVerbs.list, FastVerbs.edit,
                FastVerbs.other.delete, FastVerbs.other.restore, FastVerbs.other.history,
                ActivityVerbs.log,
                ActivityVerbs.list, ActivityVerbs.edit, ActivityVerbs.other.delete,
                ActivityVerbs.other.restore, ActivityVerbs.other.history, ActivityVerbs.ofDay,
            ]),
        Chapter(
            "History and repair",
            [
                UndoLast.command, RedoLast.command, ShowLog.command, ConflictsList.command,
                ConflictsResolve.show, ConflictsResolve.keep, ConflictsResolve.useOther,
                DBBackup.command, DBCheck.command, DBCompact.command, DBRebuild.command,
                DBStats.command,
                Doctor.command,
            ]),
        Chapter(
            "Import and export",
            [
                ImportCSV.command, ImportHealth.command, ImportLegacy.command, ExportCSV.command,
                ExportJSON.command, ExportPDF.command,
                ShareVerbs.image,
                ShareVerbs.text, ShareLinks.meal, ShareLinks.day, ShareLinks.range,
                ShareList.command, ShareRevoke.command, ShareGrant.command,
            ]),
        Chapter(
            "Account and sync",
            [
                AuthRegister.command, AuthLogin.command, AuthLogout.command, AuthStatus.command,
                AuthPassword.change, AuthPassword.reset, AuthSessions.command, DeviceRevoke.end,
                ShareGrant.token,
                AuthAudit.command, AuthTOTP.enable, AuthTOTP.confirm, AuthTOTP.disable,
                AuthExport.command, AuthDelete.command,
                SyncNow.command, SyncStatusShow.command, DeviceList.command,
                DeviceRename.command, DeviceRevoke.command,
            ]),
        Chapter(
            "The program", [Version.command, PrintManual.command, PrintCompletion.command]),
    ],
    daily: [
        "add", "quick", "day show", "edit", "delete", "undo", "water add", "weight log", "stats",
        "sync",
    ],
    groups: [
        Group("profile", "Your profile."),
        Group("config", "Settings."),
        Group("demo", "An invented diary."),
        Group("day", "Days."),
        Group("chart", "Charts."),
        Group("copy", "Copies of days."),
        Group("share", "What you show to others."),
        Group("meal", "Meals."),
        Group("meal photo", "Photos of meals."),
        Group("item", "Items of meals."),
        Group("plan", "Meal plans."),
        Group("food", "Foods."),
        Group("food portion", "Household measures of foods."),
        Group("food import", "Imports of foods."),
        Group("nutrient", "Nutrients."),
        Group("recipe", "Recipes."),
        Group("template", "Meal templates."),
        Group("weight", "Weigh-ins."),
        Group("bodyfat", "Body fat."),
        Group("measure", "Body measurements."),
        Group("height", "Height."),
        Group("ketone", "Ketones."),
        Group("checkin", "Check-ins: sleep, soreness, energy, stress."),
        Group("water", "Water."),
        Group("fast", "Fasts."),
        Group("activity", "Activities."),
        Group("goal", "Goals."),
        Group("macro", "Macro presets."),
        Group("diet", "Diets."),
        Group("coach", "Coaching."),
        Group("reminder", "Reminders."),
        Group("reminders", "Due reminders."),
        Group("top", "Rankings."),
        Group("import", "Imports."),
        Group("export", "Exports."),
        Group("auth", "The account."),
        Group("auth totp", "The second factor."),
        Group("device", "Devices."),
        Group("conflicts", "Conflicts."),
        Group("db", "The file of the log."),
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
